// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/merged_curve.h"

#include <algorithm>

namespace adarun::monitor {
namespace {

// Merges points of several ranks in one bucket: [begin, end), not empty. Reorders them.
MergedPoint merge_bucket(std::vector<Point>::iterator begin, std::vector<Point>::iterator end) {
  const Point& latest =
      *std::max_element(begin, end, [](const Point& a, const Point& b) { return a.position < b.position; });
  MergedPoint merged{.position = latest.position, .epoch = latest.epoch, .step = latest.step};
  merged.time_ms = latest.time_ms;
  const auto finite_end = std::partition(begin, end, [](const Point& point) { return point.finite > 0; });
  merged.ranks = static_cast<std::uint32_t>(finite_end - begin);
  merged.not_finite = static_cast<std::uint32_t>(end - finite_end);
  if (begin == finite_end) return merged;
  std::sort(begin, finite_end, [](const Point& a, const Point& b) { return a.mean < b.mean; });
  const auto middle = begin + (finite_end - begin - 1) / 2;
  merged.median = merged.ranks % 2 == 1 ? middle->mean : (middle->mean + (middle + 1)->mean) / 2;
  merged.min = begin->min;
  merged.max = begin->max;
  for (auto point = begin; point != finite_end; ++point) {
    merged.min = std::min(merged.min, point->min);
    merged.max = std::max(merged.max, point->max);
  }
  return merged;
}

std::vector<Point> points_from(std::uint64_t from, std::uint64_t stride,
                               std::span<const Series* const> ranks) {
  std::vector<Point> points;
  for (const Series* const rank : ranks) {
    const std::vector<Point>& own = rank->points();
    const auto first = std::partition_point(
        own.begin(), own.end(), [&](const Point& point) { return point.position / stride < from; });
    points.insert(points.end(), first, own.end());
  }
  const auto before = [&](const Point& a, const Point& b) {
    return a.position / stride < b.position / stride;
  };
  if (!std::is_sorted(points.begin(), points.end(), before)) std::sort(points.begin(), points.end(), before);
  return points;
}

}  // namespace

void MergedCurve::update(std::span<const Series* const> ranks, std::uint64_t stride) {
  const std::uint64_t from = stale_from_;
  while (!points_.empty() && points_.back().position / stride >= from) points_.pop_back();
  std::vector<Point> points = points_from(from, stride, ranks);
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end = std::find_if(begin, points.end(), [&](const Point& point) {
      return point.position / stride != begin->position / stride;
    });
    points_.push_back(merge_bucket(begin, end));
    begin = end;
  }
  stale_from_ = nothing_stale;
}

}  // namespace adarun::monitor
