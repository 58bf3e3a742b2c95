// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_link.h"

#include <libssh/libssh.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_stderr_bytes = 4096;  // Kept for status_text().
constexpr int most_pieces = 16;                  // Per call.
constexpr int most_pieces_of_the_end = 1024;     // Of stderr, for status_text().

}  // namespace

SshLink::SshLink(Credentials credentials, MakeDial make_dial, std::string command)
    : handshake_(std::move(credentials), std::move(make_dial)), command_(std::move(command)) {}

// The session frees its channels.
SshLink::~SshLink() = default;

bool SshLink::open() {
  if (state_ == State::logging_in && handshake_.advance()) state_ = State::opening_channel;
  if (state_ == State::opening_channel && open_channel()) state_ = State::executing;
  if (state_ == State::executing && execute()) state_ = State::open;
  return state_ == State::open;
}

std::string_view SshLink::step() const {
  if (state_ == State::logging_in) return handshake_.step_name();
  return state_ == State::opening_channel ? "open channel" : "start the agent";
}

bool SshLink::open_channel() {
  if (channel_ == nullptr) channel_ = ssh_channel_new(handshake_.session());
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

// libssh reads 4 KiB from the socket at a time, and returns nothing until it has a whole packet of up to 32
// KiB.
std::size_t SshLink::read(std::span<char> buffer) {
  for (int pieces = 0; pieces < most_pieces; ++pieces) {
    if (const std::size_t size = read_piece(buffer); size > 0) return size;
    if (!has_more()) break;
  }
  read_stderr(most_pieces);  // It may also receive what is to be read here.
  return read_piece(buffer);
}

std::size_t SshLink::read_piece(std::span<char> buffer) {
  const int size =
      ssh_channel_read_nonblocking(channel_, buffer.data(), static_cast<std::uint32_t>(buffer.size()), 0);
  if (size == SSH_EOF || size == SSH_AGAIN) return 0;
  if (size < 0) throw Error("connection lost: " + why_broken());
  return static_cast<std::size_t>(size);
}

bool SshLink::has_more() const {
  int waiting = 0;
  return ioctl(fd(), FIONREAD, &waiting) == 0 && waiting > 0;
}

void SshLink::read_stderr(int most) {
  std::array<char, 1024> buffer{};
  for (int pieces = 0; pieces < most; ++pieces) {
    const int size = ssh_channel_read_nonblocking(channel_, buffer.data(), buffer.size(), 1);
    if (size <= 0) return;
    append_to_end(stderr_, {buffer.data(), static_cast<std::size_t>(size)}, most_stderr_bytes);
  }
}

std::size_t SshLink::write(std::string_view bytes) {
  const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 256U << 10U));
  const int written = ssh_channel_write(channel_, bytes.data(), size);
  return written < 0 ? 0 : static_cast<std::size_t>(written);
}

// Nothing is being sent again, nor is room being asked for in vain. Not known behind a jump host, whose
// socket is a pair of ours.
bool SshLink::is_acknowledged() const {
  tcp_info facts{};
  socklen_t size = sizeof facts;
  return getsockopt(fd(), IPPROTO_TCP, TCP_INFO, &facts, &size) == 0 && facts.tcpi_retransmits == 0 &&
         facts.tcpi_probes == 0;
}

void SshLink::flush() {
  ssh_blocking_flush(handshake_.session(), 0);  // Does not wait.
}

bool SshLink::ended() const {
  return ssh_channel_is_eof(channel_) != 0 || ssh_is_connected(handshake_.session()) == 0;
}

std::string SshLink::status_text() {
  if (channel_ == nullptr) return handshake_.status_text();
  read_stderr(most_pieces_of_the_end);
  const int status = ssh_channel_get_exit_status(channel_);
  std::string words = stderr_;
  if (status > 0) words = "exit status " + std::to_string(status) + (words.empty() ? "" : ": ") + words;
  return words;
}

void SshLink::check(int result, const char* what) const {
  if (result != SSH_OK) throw Error(std::string(what) + ": " + why_broken());
}

std::string SshLink::why_broken() const {
  const std::string words = handshake_.status_text();
  return words.empty() ? last_error(handshake_.session()) : words;
}

}  // namespace adarun::launcher
