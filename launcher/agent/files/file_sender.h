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

/// Sends the launcher the files that it requests (see launcher/protocol/files.h), one after another. Passive:
/// the agent calls it from its loop.
class FileSender {
 public:
  void take(const protocol::Find& find) { walk_.emplace(find); }
  void take(protocol::Fetch order) { orders_.push_back(std::move(order)); }

  /// Whether next() has something to do.
  bool working() const { return walk_ || !orders_.empty(); }

  /// Continues for some milliseconds; returns a message if one is ready.
  std::optional<protocol::Message> next();

 private:
  /// The file that is being sent.
  struct Reading {
    base::FileDescriptor file;
    std::uint64_t at = 0;
    std::uint64_t size_bytes = 0;  ///< At the time it was opened.
    base::Blake2b hash;            ///< Of what is before `at`.
    bool is_hashed = true;
    bool is_sending = false;  ///< False while the bytes that the launcher already has are hashed.
  };

  std::optional<protocol::Message> walk_on();
  std::optional<protocol::Message> open();
  std::optional<protocol::Message> compare();
  protocol::Message send();
  protocol::FetchPart part(std::string bytes);
  protocol::Message end(const std::string& reason);
  std::string read(std::uint64_t bytes);

  std::optional<FileWalk> walk_;
  std::deque<protocol::Fetch> orders_;  ///< The first one is being served.
  std::optional<Reading> reading_;
  int parts_unpacked_ = 0;  ///< How many more parts to send unpacked without trying.
};

}  // namespace adarun::launcher::agent
