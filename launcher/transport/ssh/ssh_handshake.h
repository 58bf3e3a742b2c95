// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/transport/ssh/agent_login.h"
#include "launcher/transport/ssh/config/settings.h"
#include "launcher/transport/ssh/host_key_check.h"
#include "launcher/transport/ssh/login_keys.h"
#include "launcher/transport/ssh/ssh_connector.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {

/// What identifies a host, and the keys to log in there.
struct Credentials {
  SshSettings settings;
  HostKeyRule host_key;
  std::shared_ptr<const LoginKeys> keys;
};

/// The steps to a session that is logged in: connection, key exchange, check of the host's key, login. An
/// sshd that hangs up in the key exchange is tried again, as one that does so before. Used by one thread;
/// nothing here blocks; the caller keeps the deadline.
class SshHandshake {
 public:
  SshHandshake(Credentials credentials, MakeDial make_dial);

  /// True once the session is logged in. Throws Error with the reason if that fails.
  bool advance();

  /// The current step, in a word or two.
  std::string_view step_name() const;

  /// What to poll.
  int fd() const;
  short wanted() const;

  /// The session, once it is logged in.
  ssh_session_struct* session() const { return session_.get(); }

  /// Events that are worth a line in a log, each returned once.
  std::vector<std::string> take_remarks() { return std::exchange(remarks_, {}); }

  /// What it still waits for, or why the connection is gone, if that is known; else empty.
  std::string status_text() const;

 private:
  /// connecting -> exchanging_keys: an sshd has answered.
  /// exchanging_keys -> connecting: it has hung up.
  /// exchanging_keys -> checking_key: the key exchange is over.
  /// checking_key -> authenticating: the host's key is accepted.
  /// authenticating -> authenticated: a key of ours is accepted.
  /// Any other outcome throws Error, also if the sshd hangs up during the login.
  enum class State { connecting, exchanging_keys, checking_key, authenticating, authenticated };

  bool take_step();
  bool connect();
  bool exchange_keys();
  bool check_key();
  bool authenticate();
  int ask_agent();
  int offer_next_key();
  [[noreturn]] void refuse() const;
  [[noreturn]] void report_hang_up() const;
  std::string last_key() const;
  std::string keys_tried() const;
  bool agent_has_offered(const std::string& public_key) const;

  Credentials credentials_;
  SshConnector connector_;
  State state_ = State::connecting;
  SshSession session_;  ///< Null while `agent_login_` holds it.
  std::optional<HostKeyCheck> key_check_;
  std::unique_ptr<AgentLogin> agent_login_;  ///< During the login.
  bool agent_asked_ = false;
  std::vector<std::string> offered_;  ///< Keys of ssh-agent, as base64.
  std::size_t next_key_ = 0;          ///< Of ours,
  bool is_offering_ = false;          ///< whether it is being offered,
  std::size_t tried_keys_ = 0;        ///< and how many were so far.
  bool is_partly_in_ = false;         ///< A key was accepted, and is not enough.
  std::vector<std::string> remarks_;
};

}  // namespace adarun::launcher
