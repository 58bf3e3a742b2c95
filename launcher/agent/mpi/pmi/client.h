// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "launcher/agent/mpi/pmi/command.h"
#include "launcher/agent/mpi/pmi/command_reader.h"

namespace adarun::launcher::agent::pmi {

/// The server's end of the socket that one rank has. Nothing here blocks: answers that the rank does not read
/// are kept, and while they are many, nothing more is read from it.
class Client {
 public:
  /// What is read from a rank in one turn.
  static constexpr std::size_t turn_bytes = 16U << 10U;

  /// What may lie unread before the rank is no longer listened to.
  static constexpr std::size_t max_unread_bytes = 64U << 10U;

  Client(std::uint32_t rank, base::FileDescriptor socket) : rank_(rank), socket_(std::move(socket)) {}

  std::uint32_t rank() const { return rank_; }

  /// What to wait for, and the poll(2) events of it; -1 where the rank has closed its end, or we ours.
  int fd() const { return socket_.get(); }
  short events() const;

  /// Sends answers and reads once; false where nothing came.
  bool exchange();

  /// The next request, while there is room for its answer. Throws agent::Error where the rank sends no PMI-1.
  std::optional<Command> next();

  void answer(const Command& command);
  void close() { socket_.reset(); }

  bool connected = false;   ///< It has said init.
  bool finalized = false;   ///< And has finalized since.
  bool in_barrier = false;  ///< It waits for the other ranks.

 private:
  bool has_room() const { return unread_.size() < max_unread_bytes; }
  void send();

  std::uint32_t rank_;
  base::FileDescriptor socket_;
  CommandReader reader_;
  std::string unread_;
  bool deaf_ = false;  ///< Nobody reads there any more; what it has written may still be to come.
};

}  // namespace adarun::launcher::agent::pmi
