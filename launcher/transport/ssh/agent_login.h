// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/transport/ssh/blocking_task.h"
#include "launcher/transport/ssh/login_keys.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// A key of an ssh-agent, or a certificate of one.
struct AgentIdentity {
  std::string public_key;  ///< As base64.
  std::string bytes;       ///< As it stands in the agent's answer: key and comment, each behind its length.
  std::string signer;      ///< The key that signs for a certificate that the agent lacks; else empty.

  bool operator==(const AgentIdentity&) const = default;
};

/// The keys in an agent's answer to a request for its identities (SSH_AGENT_IDENTITIES_ANSWER, with its type
/// and without its length), in the order in which OpenSSH offers them: first those that are `keys.named`,
/// with certificates of the agent's keys, then the others, unless `keys.identities_only`. Each once. A key
/// without bytes is none. None for any other answer.
std::vector<AgentIdentity> identities_to_offer(std::string_view answer, const LoginKeys& keys);

/// Logs a session in with the keys of the user's ssh-agent. libssh waits for an ssh-agent without a time
/// limit, for example while a key must be touched, or on a socket that nobody serves: so this has its own
/// thread, which owns the session meanwhile. None of this blocks.
class AgentLogin {
 public:
  AgentLogin(SshSession session, std::shared_ptr<const LoginKeys> keys);

  /// Abandons a login that is not over: the ssh-agent does not answer, or it is too late. Its thread and
  /// session stay until the ssh-agent answers or the process ends.
  ~AgentLogin();
  AgentLogin(const AgentLogin&) = delete;
  AgentLogin& operator=(const AgentLogin&) = delete;

  /// Readable once the login is over.
  int fd() const { return task_.fd(); }
  bool over() const { return task_.over(); }

  /// Whether the ssh-agent is being waited for just now, and not the server.
  bool waits_for_key() const;

  /// Once it is over: the session, the result as libssh's ssh_auth_e (partial if that of any key was, and
  /// none was enough), and the keys that were offered, as base64.
  SshSession take_session();
  int result() const;
  const std::vector<std::string>& offered() const;

 private:
  struct Work;

  std::shared_ptr<Work> work_;
  BlockingTask task_;
};

}  // namespace adarun::launcher
