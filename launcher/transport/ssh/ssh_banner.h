// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::launcher {

/// What a server sends first: lines of any text, then an sshd's "SSH-".
class SshBanner {
 public:
  enum class Answer {
    incomplete,  ///< Not all of it has come yet.
    sshd,        ///< "SSH-" comes next and is not read.
    hang_up,     ///< The connection was closed or reset before that.
  };

  /// Reads what has come on a connected socket, without blocking. A part of "SSH-" that stays unread does not
  /// make a TCP socket readable: poll() waits until there is more. Throws Error if it is no sshd.
  Answer read(int socket);

  /// The first line before "SSH-", such as "Exceeded MaxStartups".
  std::string words() const;

 private:
  bool at_line_start() const { return text_.empty() || text_.back() == '\n'; }

  void wait_for(int socket, int bytes);

  std::string text_;
  int awaited_bytes_ = 1;  ///< With fewer, a TCP socket is not readable.
};

}  // namespace adarun::launcher
