// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/channel.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

#include "launcher/agent/base/descriptors.h"
#include "launcher/agent/base/poll.h"
#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {
namespace {

// The launcher keeps what we have not acknowledged: beyond this many bytes we acknowledge at once.
constexpr std::uint64_t most_unacknowledged = 64U << 10U;
constexpr int pipe_bytes = 256 << 10;
// How long what the launcher sent before it hung up may take to arrive.
constexpr std::chrono::seconds rest_timeout{5};

// A larger pipe (sshd may give us pipes) wakes both sides less often.
void widen(int fd) {
  ::fcntl(fd, F_SETPIPE_SZ, pipe_bytes);
}

}  // namespace

Channel::Channel(Connection first) : connection_(std::move(first)), preface_(protocol::magic) {
  set_nonblocking(in());
  set_nonblocking(out());
  widen(out());
}

Channel::Channel(Connection current, const StreamPosition& position) : Channel(std::move(current)) {
  preface_.clear();
  spool_.begin_at(position.sent);
  reader_.begin_at(position.received);
  acknowledged_ = position.received;
  reader_.feed(position.unread);
}

std::optional<StreamPosition> Channel::hand_over() {
  if (!connected() || rest_due_ || opening_ || !preface_.empty() || spool_.unsent_bytes() > 0)
    return std::nullopt;
  const std::uint64_t received = reader_.position();
  return StreamPosition{spool_.end_position(), received, reader_.take_rest()};
}

void Channel::keep_for_resume(const std::string& spool_file, std::chrono::milliseconds silence) {
  spool_.spill(spool_file, memory_bytes, spool_bytes);
  silence_ = silence;
  keeps_ = true;
}

void Channel::resume(Connection connection) {
  connection_ = std::move(connection);
  rest_due_.reset();
  set_nonblocking(in());
  set_nonblocking(out());
  widen(out());
  preface_ = std::string(protocol::magic) + protocol::encode(protocol::Resumed{reader_.received()});
  opening_.emplace(protocol::Opening::frame);
}

void Channel::cut() {
  connection_ = {};
  rest_due_.reset();
  cut_at_ = Clock::now();
}

void Channel::acknowledge() {
  if (reader_.position() == acknowledged_) return;
  acknowledged_ = reader_.position();
  send(protocol::Received{acknowledged_});
}

bool Channel::full(Clock::time_point now) const {
  if (connected() && now < cut_off_at())
    return spool_.unsent_bytes() >= full_bytes || spool_.kept_bytes() >= memory_bytes;
  return !spool_.has_room();
}

bool Channel::has_unsent() const {
  return connected() && !rest_due_ && (!preface_.empty() || (!opening_ && spool_.unsent_bytes() > 0));
}

// What the launcher sent before it hung up is still to be received: it may acknowledge our last message.
std::size_t Channel::write(std::string_view bytes) {
  while (true) {
    const ssize_t size = ::write(out(), bytes.data(), bytes.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) rest_due_ = Clock::now() + rest_timeout;
    return 0;
  }
}

void Channel::flush() {
  while (has_unsent()) {
    const std::string_view bytes = preface_.empty() ? spool_.unsent() : std::string_view(preface_);
    const std::size_t written = write(bytes);
    if (written == 0) return;
    if (!preface_.empty()) {
      preface_.erase(0, written);
      continue;
    }
    spool_.sent(written);
    if (!keeps_) spool_.acknowledge(spool_.sent_position());
  }
}

bool Channel::receive(Clock::time_point now) {
  std::array<char, 64U << 10U> bytes;  // NOLINT: filled by read
  const ssize_t size = ::read(in(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (size <= 0) return false;
  heard_ = now;
  try {
    take_in({bytes.data(), static_cast<std::size_t>(size)});
  } catch (const protocol::Error&) {
    if (!opening_) throw;
    cut();  // The peer on this connection is not our launcher.
  }
  return true;
}

void Channel::take_in(std::string_view bytes) {
  if (!opening_) return reader_.feed(bytes);
  opening_->feed(bytes);
  const auto first = opening_->next();
  if (!first) return;
  const auto* resumed = std::get_if<protocol::Resumed>(&*first);
  if (resumed == nullptr) throw protocol::Error("a connection that does not begin with Resumed");
  spool_.rewind(resumed->position);
  reader_.feed(opening_->take_rest());
  opening_.reset();
}

std::optional<protocol::Message> Channel::next() {
  while (auto message = reader_.next()) {
    if (reader_.position() - acknowledged_ >= most_unacknowledged) acknowledge();
    const auto* received = std::get_if<protocol::Received>(&*message);
    if (received == nullptr) return message;
    spool_.acknowledge(received->position);
  }
  return std::nullopt;
}

void DiagnosticSender::debug(const std::string& text) {
  if (stopped_ || !budget_.take(Clock::now())) return;
  const std::uint64_t left_out = budget_.take_left_out();
  const std::string before = left_out == 0 ? "" : std::to_string(left_out) + " messages left out; ";
  channel_.send(protocol::Diagnostic{(before + text).substr(0, protocol::Diagnostic::most_bytes)});
}

std::string milliseconds_since(Clock::time_point begin) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  return std::to_string(time.count()) + " ms";
}

DoneDelivery::DoneDelivery(Channel& channel, const protocol::Message& last, Clock::time_point now)
    : channel_(channel), since_(now), position_(0) {
  channel_.send(last);
  position_ = channel_.position();
  channel_.flush();
}

DoneDelivery::State DoneDelivery::state(Clock::time_point now) const {
  if (channel_.abandoned() && now >= since_ + abandoned_timeout) return State::given_up;
  const bool over = channel_.resumable() ? channel_.delivered(position_)
                                         : !channel_.connected() || channel_.sent(position_);
  return over ? State::delivered : State::waiting;
}

void DoneDelivery::watch(Poll& poll) const {
  if (channel_.abandoned()) poll.until(since_ + abandoned_timeout);
}

}  // namespace adarun::launcher::agent
