// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_handshake.h"

#include <libssh/libssh.h>
#include <poll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/describe.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

std::vector<std::string> kinds_of(const HostKeyRule& rule) {
  std::vector<std::string> kinds;
  for (const std::vector<KnownKey>* known : {&rule.known, &rule.known_without_port})
    for (const KnownKey& each : *known)
      if (!each.revoked && std::find(kinds.begin(), kinds.end(), each.key.kind) == kinds.end())
        kinds.push_back(each.key.kind);
  return kinds;
}

// Whether the other side has closed the connection, rather than refused our algorithms.
bool is_hang_up(const std::string& error) {
  return error.starts_with("Socket error");
}

}  // namespace

SshHandshake::SshHandshake(Credentials credentials, MakeDial make_dial)
    : credentials_(std::move(credentials)), connector_(std::move(make_dial)) {}

int SshHandshake::fd() const {
  if (state_ == State::connecting) return connector_.fd();
  if (state_ == State::checking_key && key_check_) return key_check_->fd();
  return agent_login_ ? agent_login_->fd() : ssh_get_fd(session_.get());
}

short SshHandshake::wanted() const {
  if (state_ == State::connecting) return connector_.wanted();
  if (state_ == State::checking_key || agent_login_) return POLLIN;
  const int flags = ssh_get_poll_flags(session_.get());
  return static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
}

std::string_view SshHandshake::step_name() const {
  if (state_ == State::connecting) return "connect";
  return state_ == State::exchanging_keys || state_ == State::checking_key ? "exchange keys" : "log in";
}

bool SshHandshake::advance() {
  while (state_ != State::authenticated)
    if (!take_step()) return false;
  return true;
}

bool SshHandshake::take_step() {
  switch (state_) {
    case State::connecting:
      return connect();
    case State::exchanging_keys:
      return exchange_keys();
    case State::checking_key:
      return check_key();
    case State::authenticating:
      return authenticate();
    case State::authenticated:
      break;
  }
  return true;
}

bool SshHandshake::connect() {
  const int hang_ups = connector_.hang_ups();
  const bool connected = connector_.advance();
  if (connector_.hang_ups() > hang_ups) remarks_.push_back(connector_.status_text() + "; trying again");
  if (!connected) return false;
  session_ = make_session(credentials_.settings, kinds_of(credentials_.host_key), connector_.take());
  state_ = State::exchanging_keys;
  return true;
}

bool SshHandshake::exchange_keys() {
  const int result = ssh_connect(session_.get());
  keep_from_blocking(session_.get());
  if (result == SSH_AGAIN) return false;
  state_ = State::checking_key;
  if (result == SSH_OK) return true;
  const std::string error = last_error(session_.get());
  if (!is_hang_up(error)) throw Error("no SSH connection: " + error);
  session_.reset();
  connector_.begin_again("in the key exchange");
  remarks_.push_back(connector_.status_text() + "; trying again");
  state_ = State::connecting;
  return false;
}

bool SshHandshake::check_key() {
  if (!key_check_)
    key_check_.emplace(credentials_.host_key, server_key(session_.get()), fingerprint(session_.get()));
  if (!key_check_->advance()) return false;
  remarks_.push_back("its host key is " + fingerprint(session_.get()));
  state_ = State::authenticating;
  return true;
}

bool SshHandshake::authenticate() {
  const LoginKeys& keys = *credentials_.keys;
  while (true) {
    const bool is_agents = !agent_asked_ && !keys.agent_socket.empty();
    const int result = is_agents ? ask_agent() : offer_next_key();
    if (session_ && ssh_is_connected(session_.get()) == 0) report_hang_up();
    if (result == SSH_AUTH_AGAIN) return false;
    if (result == SSH_AUTH_SUCCESS) break;
    is_partly_in_ = is_partly_in_ || result == SSH_AUTH_PARTIAL;
    remarks_.push_back((is_agents ? base::counted(offered_.size(), "key") + " of ssh-agent" : last_key()) +
                       (result == SSH_AUTH_PARTIAL ? ": not enough" : ": not accepted"));
  }
  remarks_.push_back("logged in as " + credentials_.settings.user + " by " + last_key());
  state_ = State::authenticated;
  return true;
}

// The key that was tried last.
std::string SshHandshake::last_key() const {
  if (next_key_ == 0) return "key " + std::to_string(offered_.size()) + " of ssh-agent";
  ssh_key key = credentials_.keys->keys[next_key_ - 1].key.get();
  return "key " + std::to_string(next_key_) + " of ours, " + ssh_key_type_to_char(ssh_key_type(key));
}

int SshHandshake::ask_agent() {
  if (!agent_login_) agent_login_ = std::make_unique<AgentLogin>(std::move(session_), credentials_.keys);
  if (!agent_login_->over()) return SSH_AUTH_AGAIN;
  session_ = agent_login_->take_session();
  offered_ = agent_login_->offered();
  const int result = agent_login_->result();
  agent_login_.reset();
  agent_asked_ = true;
  return result;
}

// One that ssh-agent has offered is not offered again: an sshd takes few in all.
int SshHandshake::offer_next_key() {
  const std::vector<LoginKey>& keys = credentials_.keys->keys;
  while (next_key_ < keys.size() && agent_has_offered(keys[next_key_].public_key)) ++next_key_;
  if (next_key_ == keys.size()) refuse();
  if (!std::exchange(is_offering_, true)) ++tried_keys_;
  const int result = ssh_userauth_publickey(session_.get(), nullptr, keys[next_key_].key.get());
  if (result == SSH_AUTH_AGAIN) return result;
  is_offering_ = false;
  ++next_key_;
  return result;
}

void SshHandshake::report_hang_up() const {
  constexpr std::size_t few_keys = 2;
  const std::size_t keys = offered_.size() + tried_keys_;
  const std::string reason = hang_up_reason(session_.get());
  std::string text = "its sshd hung up during the login as " + credentials_.settings.user;
  if (keys > 0) text += ", after " + base::counted(keys, "key");
  if (!reason.empty()) text += ": " + reason;
  const bool are_many = keys >= few_keys || reason.find("authentication failures") != std::string::npos;
  if (!are_many) throw Error(text + " (the log of that sshd may say why)");
  throw Error(text +
              " (its MaxAuthTries?); name the right key: IdentityFile with IdentitiesOnly yes in the "
              "ssh config, or --identity FILE");
}

void SshHandshake::refuse() const {
  const SshSettings& settings = credentials_.settings;
  const int methods = ssh_userauth_list(session_.get(), nullptr);
  const std::string tried = keys_tried();
  std::string why = tried.empty() ? "there is no key to log in with"
                                  : "no key of ours is accepted there (tried: " + tried + ")";
  bool is_locked = false;
  for (const UnusableFile& each : credentials_.keys->unusable) {
    if (agent_has_offered(each.public_key)) continue;
    why += "; " + each.text();
    is_locked = is_locked || each.is_locked;
  }
  if (!is_locked) why += "; add one by ssh-copy-id, or say --identity FILE or --user NAME";
  if (methods > 0 && (methods & SSH_AUTH_METHOD_PUBLICKEY) == 0)
    why =
        "its sshd takes no keys, but a password or the like, which adarun never asks for: set "
        "PubkeyAuthentication yes there, then ssh-copy-id";
  if (is_partly_in_)
    why =
        "its sshd wants more than a key (AuthenticationMethods), such as a password, which adarun never asks "
        "for";
  throw Error("SSH login as " + settings.user + " refused: " + why);
}

// "/home/me/.ssh/id_ed25519, those of ssh-agent"
std::string SshHandshake::keys_tried() const {
  std::string tried;
  for (const LoginKey& each : credentials_.keys->keys) tried += (tried.empty() ? "" : ", ") + each.file;
  for (const UnusableFile& each : credentials_.keys->unusable)
    if (agent_has_offered(each.public_key)) tried += (tried.empty() ? "" : ", ") + each.file;
  if (!offered_.empty()) tried += std::string(tried.empty() ? "" : ", ") + "those of ssh-agent";
  return tried;
}

bool SshHandshake::agent_has_offered(const std::string& public_key) const {
  return std::find(offered_.begin(), offered_.end(), public_key) != offered_.end();
}

std::string SshHandshake::status_text() const {
  if (agent_login_ && agent_login_->waits_for_key())
    return "ssh-agent does not answer; unset SSH_AUTH_SOCK, or say --identity FILE";
  if (state_ == State::checking_key && key_check_ && session_)
    return "its host key cannot be written to " + credentials_.host_key.file + ": no answer";
  const std::string words = connector_.status_text();
  return words.empty() && state_ == State::exchanging_keys ? connector_.hang_ups_text() : words;
}

}  // namespace adarun::launcher
