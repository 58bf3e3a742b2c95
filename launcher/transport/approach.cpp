// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/approach.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "launcher/error.h"

namespace adarun::launcher {
namespace {

constexpr std::chrono::milliseconds first_pause{100};
constexpr std::chrono::milliseconds longest_pause{2'000};
constexpr int most_doublings = 8;

itimerspec once_after(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {{0, 0}, {seconds.count(), (time - seconds).count()}};
}

}  // namespace

Approach::Approach(std::vector<SocketAddress> addresses)
    : addresses_(std::move(addresses)), dial_(addresses_) {}

bool Approach::advance() {
  std::uint64_t expirations = 0;
  if (state_ == State::pausing && read(timer_.get(), &expirations, sizeof expirations) > 0) {
    state_ = State::dialling;
    dial_ = Dial(addresses_);
  }
  if (state_ == State::dialling && dial_.advance()) {
    state_ = State::listening;
    socket_ = dial_.take();
    greeting_ = Greeting();
  }
  return state_ == State::listening && listen();
}

int Approach::fd() const {
  if (state_ == State::pausing) return timer_.get();
  return state_ == State::listening ? socket_.get() : dial_.fd();
}

short Approach::wanted() const {
  return state_ == State::dialling ? POLLOUT : POLLIN;
}

bool Approach::listen() {
  const Greeting::Heard heard = greeting_.listen(socket_.get());
  if (heard == Greeting::Heard::hang_up) pause();
  return heard == Greeting::Heard::sshd;
}

void Approach::pause() {
  if (!timer_) {
    timer_ = posix::FileDescriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer_) throw Error("cannot make a timer");
    chance_.seed(std::random_device()());
  }
  const auto full = std::min(longest_pause, first_pause * (1 << std::min(hang_ups_, most_doublings)));
  std::uniform_int_distribution<std::int64_t> drawn(full.count() / 2, full.count());
  const itimerspec due = once_after(std::chrono::milliseconds(drawn(chance_)));
  timerfd_settime(timer_.get(), 0, &due, nullptr);
  state_ = State::pausing;
  socket_.reset();
  words_ = greeting_.words();
  ++hang_ups_;
}

std::string Approach::last_words() const {
  if (hang_ups_ == 0) return "";
  const std::string times = hang_ups_ == 1 ? "once" : std::to_string(hang_ups_) + " times";
  return "its sshd has hung up " + times + (words_.empty() ? "" : ": " + words_);
}

}  // namespace adarun::launcher
