// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/nodes.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Passes the stdin of this process on to the ranks of a job that read it, over all attempts. Nothing is read
/// before a rank's agent asks for it, and never more than the agents want.
///
/// A regular file is read by pread() from where its offset was: the offset stays there, so that a shell loop
/// whose lines are in that file loses none, each rank has the whole rest of the file, and so has one that is
/// started again. What else there is, such as a pipe, is read once: all ranks that read it get the same
/// bytes, and the slowest of them sets the pace. A terminal is read only while this process is in its
/// foreground. Not thread-safe.
class JobInput {
 public:
  /// Most bytes of a stream held for ranks that have not taken them; one rank has at most so many under way.
  static constexpr std::size_t most_held_bytes = 256U << 10U;

  /// Nobody's input.
  JobInput() = default;

  /// `from`: a descriptor of its own for what is read; -1: ranks that ask get an end of file at once.
  explicit JobInput(base::FileDescriptor from);

  /// A new attempt begins: the ranks that read are those of this plan, which is borrowed until the next call.
  void begin(const Plan& plan);

  /// Looks for what concerns it: ranks that want input, or have ended; nodes that are lost. Throws
  /// protocol::Error if no agent would say that.
  void take(const TransportEvent& event);

  /// A descriptor to wait on for input that somebody wants; -1: there is none.
  int fd() const;

  /// Reads what is there, and returns what is to be sent.
  std::vector<Outgoing> advance();

  /// Lines for the user since the last call, such as why it cannot be read.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

  /// Whether ranks have read of it what a further attempt cannot read again.
  bool is_spent() const { return !is_file_ && read_bytes_ > 0; }

  /// Whether a file, a pipe or a socket has bytes that nobody has asked for.
  bool is_unread() const;

 private:
  struct Reader {
    std::uint32_t node = 0;
    std::uint64_t position = 0;  ///< Bytes sent to it.
    std::uint64_t wanted = 0;    ///< It wants those before this position.
  };

  void want(std::uint32_t node, const protocol::InputWanted& wanted);
  bool is_readable() const;
  bool needs_bytes() const;
  void read_stream();
  void drop_taken();
  std::string bytes_for(const Reader& reader, bool& last);
  std::string bytes_of_file(std::uint64_t position, std::size_t most);
  void end(const std::string& why);

  base::FileDescriptor from_;
  bool is_file_ = false;
  bool was_wanted_ = false;
  bool ended_ = true;  ///< Nothing follows after the bytes held; of a file, that it cannot be read.
  const Plan* plan_ = nullptr;
  std::map<std::uint32_t, Reader> readers_;  ///< By rank.
  std::string held_;                         ///< Of a stream, from `held_at_` on.
  std::uint64_t held_at_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t begin_ = 0;  ///< Offset of a file.
  std::vector<std::string> notices_;
};

}  // namespace adarun::launcher
