// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "launcher/transport/ssh/blocking_task.h"
#include "launcher/transport/ssh/login_keys.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// Logs a session in with the keys of the user's ssh-agent. libssh waits for an ssh-agent without an end, be
/// it for a key that must be touched or on a socket that nobody serves: so this has a thread of its own, to
/// which the session belongs meanwhile. None of this blocks.
class AgentLogin {
 public:
  AgentLogin(SshSession session, std::shared_ptr<const LoginKeys> keys);

  /// A login that is not over is given up: no ssh-agent answers it any more, or it is too late. Its thread
  /// and session are left behind, and go when the ssh-agent answers or the process ends.
  ~AgentLogin();
  AgentLogin(const AgentLogin&) = delete;
  AgentLogin& operator=(const AgentLogin&) = delete;

  /// Readable once the login is over.
  int fd() const { return task_.fd(); }
  bool over() const { return task_.over(); }

  /// Whether a key is being waited for just now, and not the server.
  bool waits_for_key() const;

  /// Once it is over: the session back, and how it went, as libssh's ssh_auth_e.
  SshSession take_session();
  int result() const;

 private:
  struct Work;

  std::shared_ptr<Work> work_;
  BlockingTask task_;
};

}  // namespace adarun::launcher
