// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/ssh_connector.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::string_view identification = "SSH-";
constexpr std::size_t most_text_bytes = 8192;

// Whether the other side has closed its end.
bool has_hung_up(int socket) {
  pollfd asked{socket, POLLRDHUP, 0};
  return poll(&asked, 1, 0) > 0;
}

constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{2'000};
constexpr int most_doublings = 8;

itimerspec once_after(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {{0, 0}, {seconds.count(), (time - seconds).count()}};
}

}  // namespace

SshBanner::Answer SshBanner::read(int socket) {
  std::array<char, 512> buffer{};
  while (true) {
    const ssize_t size = recv(socket, buffer.data(), buffer.size(), MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Answer::incomplete;
    if (size <= 0) return Answer::hang_up;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(size));
    if (text_.empty() || text_.back() == '\n') {
      const bool part = bytes.size() < identification.size() && identification.starts_with(bytes);
      wait_for(socket, part ? static_cast<int>(identification.size()) : 1);
      if (bytes.starts_with(identification)) return Answer::sshd;
      if (part) return has_hung_up(socket) ? Answer::hang_up : Answer::incomplete;
    }
    const std::size_t line = std::min(bytes.size(), bytes.find('\n') + 1);
    const std::size_t taken = line == 0 ? bytes.size() : line;
    text_ += bytes.substr(0, taken);
    recv(socket, buffer.data(), taken, MSG_DONTWAIT);
    if (text_.size() > most_text_bytes) throw Error("what answers there is no sshd: it sends too much text");
  }
}

void SshBanner::wait_for(int socket, int bytes) {
  if (bytes == awaited_bytes_) return;
  setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
  awaited_bytes_ = bytes;
}

std::string SshBanner::words() const {
  std::string line = text_.substr(0, text_.find_first_of("\r\n"));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return line;
}

SshConnector::SshConnector(MakeDial make_dial) : make_dial_(std::move(make_dial)) {}

bool SshConnector::advance() {
  std::uint64_t expirations = 0;
  if (state_ == State::pausing && read(timer_.get(), &expirations, sizeof expirations) > 0) {
    state_ = State::connecting;
    dial_.reset();
  }
  if (!dial_) dial_ = make_dial_();
  if (state_ == State::connecting && dial_->advance()) {
    state_ = State::awaiting_banner;
    socket_ = dial_->take();
    banner_ = SshBanner();
  }
  return state_ == State::awaiting_banner && read_banner();
}

int SshConnector::fd() const {
  if (state_ == State::pausing) return timer_.get();
  if (state_ == State::awaiting_banner) return socket_.get();
  return dial_ ? dial_->fd() : -1;
}

short SshConnector::wanted() const {
  return state_ == State::connecting && dial_ ? dial_->wanted() : static_cast<short>(POLLIN);
}

base::FileDescriptor SshConnector::take() {
  state_ = State::handed_over;
  return std::move(socket_);
}

bool SshConnector::read_banner() {
  const SshBanner::Answer answer = banner_.read(socket_.get());
  if (answer == SshBanner::Answer::hang_up) begin_again(banner_.words());
  return answer == SshBanner::Answer::sshd;
}

void SshConnector::begin_again(const std::string& words) {
  if (!timer_) {
    timer_ = base::FileDescriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer_) throw Error("cannot make a timer");
    chance_.seed(std::random_device()());
  }
  const auto full = std::min(longest_pause, first_pause * (1 << std::min(hang_ups_, most_doublings)));
  std::uniform_int_distribution<std::int64_t> drawn(full.count() / 2, full.count());
  const itimerspec due = once_after(std::chrono::milliseconds(drawn(chance_)));
  timerfd_settime(timer_.get(), 0, &due, nullptr);
  state_ = State::pausing;
  socket_.reset();
  words_ = words;
  ++hang_ups_;
}

std::string SshConnector::status_text() const {
  if (state_ == State::awaiting_banner && hang_ups_ == 0)
    return "its sshd takes connections, but says nothing";
  std::string words = dial_ ? dial_->status_text() : "";
  const bool dials_again = state_ == State::connecting && hang_ups_ > 0;
  if (hang_ups_ == 0 || state_ == State::handed_over || (!words.empty() && !dials_again)) return words;
  return hang_ups_text();
}

std::string SshConnector::hang_ups_text() const {
  if (hang_ups_ == 0) return "";
  const std::string times = hang_ups_ == 1 ? "once" : std::to_string(hang_ups_) + " times";
  return "its sshd has hung up " + times + (words_.empty() ? "" : ": " + words_);
}

}  // namespace adarun::launcher
