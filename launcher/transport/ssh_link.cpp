// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh_link.h"

#include <libssh/libssh.h>
#include <poll.h>

#include <array>
#include <utility>

#include "launcher/error.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t max_stderr_bytes = 4096;

}  // namespace

SshLink::SshLink(SshSession session, std::vector<SocketAddress> addresses, std::string command,
                 HostKey policy, SshKey key)
    : session_(std::move(session)),
      approach_(std::move(addresses)),
      command_(std::move(command)),
      policy_(policy),
      key_(std::move(key)) {}

// The session frees its channels.
SshLink::~SshLink() = default;

int SshLink::fd() const {
  if (step_ == Step::approaching) return approach_.fd();
  return login_ ? login_->fd() : ssh_get_fd(session_.get());
}

short SshLink::wanted() const {
  if (step_ == Step::approaching) return approach_.wanted();
  if (login_) return POLLIN;
  const int flags = ssh_get_poll_flags(session_.get());
  return static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
}

bool SshLink::open() {
  while (step_ != Step::open)
    if (!step()) return false;
  return true;
}

bool SshLink::step() {
  bool done = false;
  switch (step_) {
    case Step::approaching:
      done = approach_.advance();
      if (done) {
        socket_t socket = approach_.take().release();
        ssh_options_set(session_.get(), SSH_OPTIONS_FD, &socket);
      }
      break;
    case Step::shaking_hands:
      done = shake_hands();
      break;
    case Step::authenticating:
      done = authenticate();
      break;
    case Step::opening:
      done = open_channel();
      break;
    case Step::executing:
      done = execute();
      break;
    case Step::open:
      return true;
  }
  if (done) step_ = static_cast<Step>(static_cast<int>(step_) + 1);
  return done;
}

bool SshLink::shake_hands() {
  const int result = ssh_connect(session_.get());
  if (result == SSH_AGAIN) return false;
  check(result, "no SSH connection");
  check_host_key(session_.get(), policy_);
  return true;
}

bool SshLink::authenticate() {
  const int result = key_ ? ssh_userauth_publickey(session_.get(), nullptr, key_.get()) : login();
  if (result == SSH_AUTH_AGAIN) return false;
  if (result == SSH_AUTH_SUCCESS) return true;
  if (result == SSH_AUTH_ERROR) throw Error("SSH login failed: " + last_error(session_.get()));
  throw Error("SSH login refused: no key of ours is accepted there (say --identity FILE, or use ssh-agent)");
}

// With the keys of the configuration and of ssh-agent.
int SshLink::login() {
  if (!login_) login_ = std::make_unique<Login>(std::move(session_));
  if (!login_->over()) return SSH_AUTH_AGAIN;
  session_ = login_->take_session();
  const int result = login_->result();
  login_.reset();
  return result;
}

bool SshLink::open_channel() {
  if (channel_ == nullptr) channel_ = ssh_channel_new(session_.get());
  if (channel_ == nullptr) throw Error("ssh: out of memory");
  const int result = ssh_channel_open_session(channel_);
  if (result == SSH_AGAIN) return false;
  check(result, "no SSH channel");
  return true;
}

bool SshLink::execute() {
  const int result = ssh_channel_request_exec(channel_, command_.c_str());
  if (result == SSH_AGAIN) return false;
  check(result, "SSH refused to run the agent");
  return true;
}

std::size_t SshLink::read(std::span<char> buffer) {
  read_stderr();
  const int size =
      ssh_channel_read_nonblocking(channel_, buffer.data(), static_cast<std::uint32_t>(buffer.size()), 0);
  if (size == SSH_EOF || size == SSH_AGAIN) return 0;
  if (size < 0) throw Error("connection lost: " + last_error(session_.get()));
  return static_cast<std::size_t>(size);
}

void SshLink::read_stderr() {
  std::array<char, 1024> buffer{};
  int size = 0;
  while ((size = ssh_channel_read_nonblocking(channel_, buffer.data(), buffer.size(), 1)) > 0)
    if (stderr_.size() < max_stderr_bytes) stderr_.append(buffer.data(), static_cast<std::size_t>(size));
}

std::size_t SshLink::write(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 256U << 10U));
  const int written = ssh_channel_write(channel_, bytes.data(), size);
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

bool SshLink::ended() const {
  return ssh_channel_is_eof(channel_) != 0 || ssh_is_connected(session_.get()) == 0;
}

std::string SshLink::last_words() {
  if (step_ == Step::approaching) return approach_.last_words();
  if (login_ && login_->waits_for_key())
    return "ssh-agent does not answer; unset SSH_AUTH_SOCK, or say --identity FILE";
  if (channel_ == nullptr) return "";
  read_stderr();
  const int status = ssh_channel_get_exit_status(channel_);
  std::string words = stderr_;
  if (status > 0) words = "exit status " + std::to_string(status) + (words.empty() ? "" : ": ") + words;
  return words;
}

void SshLink::check(int result, const char* what) const {
  if (result != SSH_OK) throw Error(std::string(what) + ": " + last_error(session_.get()));
}

}  // namespace adarun::launcher
