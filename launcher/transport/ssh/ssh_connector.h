// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "base/file_descriptor.h"
#include "launcher/transport/ssh/dial.h"

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
  void wait_for(int socket, int bytes);

  std::string text_;
  int awaited_bytes_ = 1;  ///< With fewer, a TCP socket is not readable.
};

/// Connects to an sshd and waits for its banner. If it hangs up before that, as OpenSSH does beyond its
/// MaxStartups, tries again after a growing random pause, so that many nodes behind one sshd do not all try
/// again at once. Nothing here blocks; the caller keeps the deadline.
class SshConnector {
 public:
  explicit SshConnector(MakeDial make_dial);

  /// True once an sshd has answered. Throws Error if no connection can be made, or the server is no sshd.
  bool advance();

  /// What to poll.
  int fd() const;
  short wanted() const;

  /// Hands the connected socket over.
  base::FileDescriptor take();

  /// The sshd has closed the socket, also one that was handed over: tries again, after a pause as above.
  /// `words`: what it said before, or when that was ("in the key exchange").
  void begin_again(const std::string& words);

  /// How many times the sshd has hung up.
  int hang_ups() const { return hang_ups_; }

  /// "its sshd has hung up 3 times: Exceeded MaxStartups"; empty if it has not.
  std::string hang_ups_text() const;

  /// Why connecting takes long, such as "its sshd has hung up 3 times: Exceeded MaxStartups", or why the
  /// socket that was handed over is broken, if the dial knows. Empty if nothing is known.
  std::string status_text() const;

 private:
  /// connecting -> awaiting_banner: a socket is connected.
  /// awaiting_banner -> pausing: the sshd has hung up.
  /// awaiting_banner -> handed_over: take(), after an sshd has answered.
  /// handed_over -> pausing: begin_again().
  /// pausing -> connecting: the pause is over.
  enum class State { connecting, awaiting_banner, pausing, handed_over };

  bool read_banner();

  MakeDial make_dial_;
  State state_ = State::connecting;
  std::unique_ptr<Dial> dial_;
  base::FileDescriptor socket_;
  SshBanner banner_;
  base::FileDescriptor timer_;
  std::minstd_rand chance_;
  int hang_ups_ = 0;
  std::string words_;  ///< Reason of the last hang-up.
};

}  // namespace adarun::launcher
