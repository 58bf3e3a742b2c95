// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::launcher {

/// What comes first from whoever answers at a port: lines of any text, then an sshd's "SSH-".
class Greeting {
 public:
  enum class Heard {
    nothing,  ///< Not all of it yet.
    sshd,     ///< The connection stands at its "SSH-", which is not read.
    hang_up,  ///< The connection was closed or reset before that.
  };

  /// Reads what has come on a connected socket, without blocking. Throws Error where it is no sshd.
  Heard listen(int socket);

  /// What was said before, in one line: "Exceeded MaxStartups".
  std::string words() const;

 private:
  bool at_line_start() const { return text_.empty() || text_.back() == '\n'; }

  std::string text_;
};

}  // namespace adarun::launcher
