// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/time_line.h"

#include <algorithm>
#include <cmath>

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

namespace {

constexpr double ratio = 1.02;

double bound(int number) {
  return std::pow(ratio, number);
}

}  // namespace

void StepTimes::add(double ms, std::uint64_t steps) {
  if (!(ms > 0) || !std::isfinite(ms) || steps == 0) return;
  counts_[static_cast<int>(std::floor(std::log(ms) / std::log(ratio)))] += steps;
  steps_ += steps;
  sum_ms_ += ms * static_cast<double>(steps);
}

std::optional<double> StepTimes::quantile(double part) const {
  const double wanted = part * static_cast<double>(steps_);
  double below = 0;
  for (const auto& [number, steps] : counts_) {
    const auto here = static_cast<double>(steps);
    if (below + here >= wanted)
      return bound(number) + (bound(number + 1) - bound(number)) * std::max(0.0, wanted - below) / here;
    below += here;
  }
  return std::nullopt;
}

std::vector<StepTimes::Bar> StepTimes::bars(std::size_t most) const {
  std::vector<Bar> bars;
  if (empty() || most == 0) return bars;
  const double from = *quantile(0.001);
  const double to = std::max(*quantile(0.999), from * ratio);
  // Bars narrower than the buckets counted would leave gaps.
  const double narrowest = to * (1 - 1 / ratio);
  const auto count = std::clamp<std::size_t>(static_cast<std::size_t>((to - from) / narrowest), 1, most);
  const double width = (to - from) / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i)
    bars.push_back({from + width * static_cast<double>(i), from + width * static_cast<double>(i + 1), 0});
  for (const auto& [number, steps] : counts_) {
    const double middle = (bound(number) + bound(number + 1)) / 2;
    const double place = std::clamp((middle - from) / width, 0.0, static_cast<double>(count - 1));
    bars[static_cast<std::size_t>(place)].steps += steps;
  }
  return bars;
}

}  // namespace adarun::monitor::web
