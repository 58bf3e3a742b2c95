// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/time_line.h"

#include <algorithm>

namespace adarun::monitor::web {

void TimeLine::note(std::uint64_t position, double seconds) {
  while (!marks_.empty() && marks_.back().position >= position) marks_.pop_back();
  // The last mark is replaced until it is far enough from the one before it.
  if (marks_.size() >= 2 && marks_.back().position - marks_[marks_.size() - 2].position < apart_)
    marks_.pop_back();
  marks_.push_back({position, seconds});
  if (marks_.size() < most_marks) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < marks_.size(); i += 2) marks_[kept++] = marks_[i];
  marks_.resize(kept);
  marks_.push_back({position, seconds});
  apart_ = std::max(2 * apart_, (position - marks_.front().position) / (most_marks / 2));
}

double TimeLine::seconds_at(std::uint64_t position) const {
  if (empty()) return 0;
  const auto above = std::partition_point(marks_.begin(), marks_.end(),
                                          [&](const Mark& mark) { return mark.position < position; });
  const auto right = std::clamp(above, marks_.begin() + 1, marks_.end() - 1);
  const Mark& a = *(right - 1);
  const Mark& b = *right;
  const double along = (static_cast<double>(position) - static_cast<double>(a.position)) /
                       static_cast<double>(b.position - a.position);
  return std::max(0.0, a.seconds + along * (b.seconds - a.seconds));
}

}  // namespace adarun::monitor::web
