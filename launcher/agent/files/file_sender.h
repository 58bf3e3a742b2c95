// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "launcher/agent/files/file_walk.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Gives the launcher the files it asks for (see launcher/protocol/fetch.h), one after the other. Passive:
/// the agent calls it from its loop.
class FileSender {
 public:
  void take(const protocol::Find& find) { walk_.emplace(find); }
  void take(protocol::Fetch order) { orders_.push_back(std::move(order)); }

  /// Whether next() has something to do.
  bool working() const { return walk_ || !orders_.empty(); }

  /// Works on, for some milliseconds; a message, where that has led to one.
  std::optional<protocol::Message> next();

 private:
  /// The file that is being sent.
  struct Reading {
    base::FileDescriptor file;
    std::uint64_t at = 0;
    std::uint64_t size_bytes = 0;  ///< When it was opened.
    base::Blake2b hash;            ///< Of what is before `at`.
    bool is_hashed = true;
    bool is_sending = false;  ///< Before that, what the launcher has is looked at.
  };

  std::optional<protocol::Message> walk_on();
  std::optional<protocol::Message> open();
  std::optional<protocol::Message> compare();
  protocol::Message send();
  protocol::FetchPart part(std::string bytes);
  protocol::Message end(const std::string& reason);
  std::string read(std::uint64_t bytes);

  std::optional<FileWalk> walk_;
  std::deque<protocol::Fetch> orders_;  ///< The first is being worked on.
  std::optional<Reading> reading_;
  int parts_unpacked_ = 0;  ///< That will be sent as they are, since packing has not helped lately.
};

}  // namespace adarun::launcher::agent
