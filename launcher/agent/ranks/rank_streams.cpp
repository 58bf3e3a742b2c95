// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/rank_streams.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "launcher/protocol/archive.h"

namespace adarun::launcher::agent {

RankInput::RankInput(std::uint32_t rank, base::FileDescriptor pipe, std::size_t readers)
    : rank_(rank),
      pipe_(std::move(pipe)),
      window_bytes_(std::max(node_window_bytes / std::max<std::size_t>(readers, 1), least_window_bytes)) {}

void RankInput::add(const protocol::Input& input) {
  if (!pipe_) return;  // The rank has ended or closed it, which the launcher had not heard.
  if (last_ || input.bytes.size() > open_bytes_) throw protocol::Error("more input than a rank wanted");
  open_bytes_ -= input.bytes.size();
  held_ += input.bytes;
  last_ = input.last;
  write();
}

void RankInput::write() {
  if (!pipe_) return;
  while (written_ < held_.size()) {
    const ssize_t size = ::write(pipe_.get(), held_.data() + written_, held_.size() - written_);
    if (size >= 0) {
      written_ += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      return close_pipe();
    }
  }
  if (last_) return pipe_.reset();
  pollfd reader{pipe_.get(), 0, 0};
  if (::poll(&reader, 1, 0) > 0 && (reader.revents & POLLERR) != 0) close_pipe();
}

void RankInput::close_pipe() {
  pipe_.reset();
  says_no_more_ = !last_;
  held_.clear();
  written_ = 0;
}

// Half a window at a time: what is still open then keeps the launcher sending.
std::optional<protocol::InputWanted> RankInput::request() {
  using Kind = protocol::InputWanted::Kind;
  if (std::exchange(says_no_more_, false)) return protocol::InputWanted{rank_, Kind::no_more, 0};
  if (!pipe_ || last_) return std::nullopt;
  if (asked_ && written_ < window_bytes_ / 2) return std::nullopt;
  const std::size_t bytes = asked_ ? written_ : window_bytes_;
  held_.erase(0, written_);
  written_ = 0;
  open_bytes_ += bytes;
  return protocol::InputWanted{rank_, std::exchange(asked_, true) ? Kind::more : Kind::from_begin,
                               static_cast<std::uint32_t>(bytes)};
}

namespace {

constexpr std::size_t terminal_bytes = 4U << 10U;  // The most that one read of a terminal returns.

}  // namespace

void OutputBatcher::add(protocol::Stream stream, std::string_view bytes, Clock::time_point now) {
  if (open_ && open_->stream != stream) close();
  const bool comes_alone = !open_ && bytes.size() < large_read_bytes;
  if (!open_) {
    open_.emplace(protocol::Output{rank_, stream, "", offset_});
    patient_until_ = now + timeout;
  } else {
    open_->bytes.reserve(frame_bytes + terminal_bytes);
  }
  open_->bytes += bytes;
  offset_ += bytes.size();
  if (comes_alone || open_->bytes.size() >= frame_bytes) close();
}

std::optional<protocol::Output> OutputBatcher::take(Clock::time_point now) {
  if (whole_.empty() && open_ && now >= patient_until_) close();
  if (whole_.empty()) return std::nullopt;
  protocol::Output output = std::move(whole_.front());
  whole_.pop_front();
  return output;
}

std::optional<Clock::time_point> OutputBatcher::due() const {
  return open_ ? std::optional(patient_until_) : std::nullopt;
}

void OutputBatcher::close() {
  if (open_) whole_.push_back(std::move(*std::exchange(open_, std::nullopt)));
}

}  // namespace adarun::launcher::agent
