// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launcher/transport/approach.h"
#include "launcher/transport/link.h"
#include "launcher/transport/login.h"
#include "launcher/transport/ssh_session.h"

namespace adarun::launcher {

/// The agent at the far end of one SSH session with one channel. Made by the main thread, then used by the
/// I/O thread alone.
class SshLink : public Link {
 public:
  /// `command` is run by the login shell of the far side. `key`: may be null, then the config's identities
  /// and ssh-agent are tried.
  SshLink(SshSession session, std::vector<SocketAddress> addresses, std::string command, HostKey policy,
          SshKey key);
  ~SshLink() override;
  SshLink(const SshLink&) = delete;
  SshLink& operator=(const SshLink&) = delete;

  int fd() const override;
  short wanted() const override;
  bool open() override;
  std::size_t read(std::span<char> buffer) override;
  std::size_t write(std::string_view bytes) override;
  bool ended() const override;
  std::string last_words() override;

 private:
  enum class Step { approaching, shaking_hands, authenticating, opening, executing, open };

  bool step();
  bool shake_hands();
  bool authenticate();
  int login();
  bool open_channel();
  bool execute();
  void read_stderr();
  void check(int result, const char* what) const;

  SshSession session_;            ///< Null while `login_` has it.
  std::unique_ptr<Login> login_;  ///< While it goes on.
  Approach approach_;
  std::string command_;
  HostKey policy_;
  SshKey key_;
  ssh_channel_struct* channel_ = nullptr;
  Step step_ = Step::approaching;
  std::string stderr_;
};

}  // namespace adarun::launcher
