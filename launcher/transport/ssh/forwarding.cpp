// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/forwarding.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/ssh_session.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_inbound = 256U << 10U;
constexpr std::size_t piece = 64U << 10U;
constexpr int first_channel = 43;  // libssh's number of the first one.

}  // namespace

Forwarding::Forwarding(ssh_session session, std::shared_ptr<Tunnel> tunnel, int number)
    : session_(session), tunnel_(std::move(tunnel)), number_(number), channel_(ssh_channel_new(session)) {
  if (channel_ == nullptr) throw Error("ssh: out of memory");
  callbacks_.userdata = this;
  callbacks_.channel_data_function = &Forwarding::take;
  ssh_callbacks_init(&callbacks_);
  ssh_set_channel_callbacks(channel_, &callbacks_);
}

Forwarding::~Forwarding() {
  ssh_remove_channel_callbacks(channel_, &callbacks_);
  ssh_channel_free(channel_);
}

// NOLINTNEXTLINE(readability-function-size): as libssh calls it
int Forwarding::take(ssh_session /*session*/, ssh_channel /*channel*/, void* data, std::uint32_t size,
                     int /*is_stderr*/, void* self) {
  auto& forwarding = *static_cast<Forwarding*>(self);
  const std::size_t room = most_inbound - std::min(most_inbound, forwarding.inbound_.size());
  const std::size_t taken = std::min<std::size_t>(room, size);
  forwarding.inbound_.append(static_cast<const char*>(data), taken);
  forwarding.left_over_ = taken < size;
  return static_cast<int>(taken);
}

bool Forwarding::advance(bool readable) {
  if (!is_open_ && !open()) return static_cast<bool>(tunnel_->far);
  to_socket();
  if (readable || !outbound_.empty()) to_channel();
  const bool far_ended = ssh_channel_is_eof(channel_) != 0 || ssh_channel_is_closed(channel_) != 0;
  const bool all_given = inbound_.empty() && !left_over_;
  if (near_ended_ || (far_ended && all_given)) tunnel_->far.reset();
  return static_cast<bool>(tunnel_->far);
}

bool Forwarding::open() {
  const int result =
      ssh_channel_open_forward(channel_, tunnel_->hostname.c_str(), tunnel_->port, "127.0.0.1", 0);
  if (result == SSH_ERROR) fail(reason());
  is_open_ = result == SSH_OK;
  if (is_open_) tunnel_->open();
  return is_open_;
}

// libssh keeps only the last error of the session, which may concern another channel.
std::string Forwarding::reason() const {
  const std::string error = last_error(session_);
  const std::string ours = "channel " + std::to_string(first_channel + number_) + " ";
  const std::size_t words = error.find(") ");
  const std::string where =
      tunnel_->hostname + " port " + std::to_string(tunnel_->port) + ", as seen from " + tunnel_->from;
  const bool is_ours = error.find(ours) != std::string::npos && words != std::string::npos;
  return "cannot connect to " + where + (is_ours ? ": " + error.substr(words + 2) : "");
}

void Forwarding::fail(const std::string& reason) {
  tunnel_->fail(reason);
  tunnel_->far.reset();
}

bool Forwarding::holds_back() const {
  const bool is_unread = !near_ended_ && ssh_channel_window_size(channel_) == 0;
  return is_open_ && (is_unread || !outbound_.empty());
}

short Forwarding::wanted() const {
  if (!is_open_) return 0;
  const bool reads = !near_ended_ && outbound_.empty() && ssh_channel_window_size(channel_) > 0;
  return static_cast<short>((reads ? POLLIN : 0) | (inbound_.empty() ? 0 : POLLOUT));
}

void Forwarding::to_socket() {
  while (true) {
    if (inbound_.empty() && left_over_) {
      std::array<char, piece> buffer;
      const int size = ssh_channel_read_nonblocking(channel_, buffer.data(), buffer.size(), 0);
      left_over_ = size > 0;
      if (size > 0) inbound_.append(buffer.data(), static_cast<std::size_t>(size));
    }
    if (inbound_.empty()) return;
    const ssize_t sent = send(fd(), inbound_.data(), inbound_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) near_ended_ = true;
    if (sent <= 0) return;
    inbound_.erase(0, static_cast<std::size_t>(sent));
  }
}

void Forwarding::to_channel() {
  while (true) {
    if (!outbound_.empty()) {
      const int sent =
          ssh_channel_write(channel_, outbound_.data(), static_cast<std::uint32_t>(outbound_.size()));
      if (sent <= 0) return;
      outbound_.erase(0, static_cast<std::size_t>(sent));
      continue;
    }
    if (near_ended_ || ssh_channel_window_size(channel_) == 0) return;
    std::array<char, piece> buffer;
    const ssize_t size = recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (size < 0) return;
    near_ended_ = size == 0;
    outbound_.assign(buffer.data(), static_cast<std::size_t>(size));
  }
}

}  // namespace adarun::launcher
