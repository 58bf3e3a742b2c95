// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/log_lines.h"

#include <utility>

namespace adarun::cli {

bool LogLines::next() {
  for (;;) {
    const std::size_t end = buffer_.find('\n', at_);
    if (end != std::string::npos) {
      take(end + 1 - at_);
      return true;
    }
    if (buffer_.size() - at_ >= piece_bytes_) return rest();
    if (!refill()) return false;
  }
}

bool LogLines::rest() {
  const std::size_t bytes = buffer_.size() - at_;
  if (bytes == 0) return false;
  buffer_ += '\n';
  take(bytes + 1);
  --behind_;
  return true;
}

void LogLines::take(std::size_t bytes) {
  line_ = std::string_view(buffer_).substr(at_, bytes);
  at_ += bytes;
  behind_ += bytes;
}

// If the log was restarted, a buffered incomplete line ends first: its own end will never arrive.
bool LogLines::refill() {
  if (!std::exchange(begins_anew_, false)) {
    const monitor::FileTail::Change news = watch_->read(rank_, piece_, piece_bytes_);
    if (news == monitor::FileTail::Change::none) return false;
    begins_anew_ = news == monitor::FileTail::Change::restarted && at_ < buffer_.size();
    if (begins_anew_) {
      buffer_ += '\n';
      return true;
    }
  }
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += piece_;
  behind_ = watch_->offset(rank_) - buffer_.size();
  return !piece_.empty();
}

}  // namespace adarun::cli
