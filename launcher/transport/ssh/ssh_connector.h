// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <string>

#include "base/file_descriptor.h"
#include "launcher/transport/ssh/dial.h"
#include "launcher/transport/ssh/ssh_banner.h"

namespace adarun::launcher {

/// Connects to an sshd and waits for its first word. Where it hangs up before that, as OpenSSH does beyond
/// its MaxStartups, it is tried again after a pause that grows and is drawn by chance, so that many nodes
/// behind one sshd do not all try again at once. Nothing here blocks; the caller has the deadline.
class SshConnector {
 public:
  explicit SshConnector(MakeDial make_dial);

  /// True once an sshd has answered. Throws Error where no connection can be made, or where something else
  /// than an sshd answers.
  bool advance();

  /// What to poll.
  int fd() const;
  short wanted() const;

  /// Hands the connected socket over.
  base::FileDescriptor take();

  /// The sshd has hung up on the socket that was handed over: tries again, after a pause like the others.
  /// `when`: "during the key exchange".
  void begin_again(const std::string& when);

  /// How often that was.
  int hang_ups() const { return hang_ups_; }

  /// Why it takes long: "its sshd has hung up 3 times: Exceeded MaxStartups"; empty where it has not. Or why
  /// the socket that was handed over is broken, where the dial knows.
  std::string status_text() const;

 private:
  /// connecting -> awaiting_banner: a socket is connected.
  /// awaiting_banner -> pausing: the sshd has hung up.
  /// awaiting_banner -> handed_over: take(), after an sshd has answered.
  /// handed_over -> pausing: begin_again().
  /// pausing -> connecting: the pause is over.
  enum class State { connecting, awaiting_banner, pausing, handed_over };

  bool read_banner();
  void pause(const std::string& words);

  MakeDial make_dial_;
  State state_ = State::connecting;
  std::unique_ptr<Dial> dial_;
  base::FileDescriptor socket_;
  SshBanner banner_;
  base::FileDescriptor timer_;
  std::minstd_rand chance_;
  int hang_ups_ = 0;
  std::string words_;  ///< Of the last one.
};

}  // namespace adarun::launcher
