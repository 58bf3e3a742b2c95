// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace adarun::launcher {

/// Bytes that wait to be sent to one node. The same ones may wait for thousands of nodes: they are shared,
/// not copied.
class Outbox {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  void add(Bytes bytes) { waiting_.push_back(std::move(bytes)); }
  void clear() { *this = {}; }

  bool empty() const { return waiting_.empty(); }

  /// What is to be sent next, some of it; not to be asked for where there is nothing.
  std::string_view next() const { return std::string_view(*waiting_.front()).substr(sent_); }

  /// `size` bytes of next() were taken.
  void sent(std::size_t size) {
    sent_ += size;
    if (sent_ < waiting_.front()->size()) return;
    waiting_.pop_front();
    sent_ = 0;
  }

 private:
  std::deque<Bytes> waiting_;
  std::size_t sent_ = 0;  ///< Of the first.
};

}  // namespace adarun::launcher
