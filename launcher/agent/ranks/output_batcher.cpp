// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/output_batcher.h"

#include <string>
#include <utility>

namespace adarun::launcher::agent {
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
