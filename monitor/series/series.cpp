// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace adarun::monitor {
namespace {

// Sets the fields one by one, which is cheaper than building a Point and copying it.
void put(const Sample& sample, Point& point) {
  const bool finite = std::isfinite(sample.loss);
  point.position = sample.position;
  point.epoch = sample.epoch;
  point.step = sample.step;
  point.mean = point.min = point.max = finite ? sample.loss : 0;
  point.finite = finite ? 1 : 0;
  point.not_finite = finite ? 0 : 1;
  point.time_ms = sample.time_ms;
}

}  // namespace

Point joined(const Point& left, const Point& right) {
  Point both = right;
  both.finite += left.finite;
  both.not_finite += left.not_finite;
  if (left.finite == 0) return both;
  if (right.finite == 0) {
    both.mean = left.mean;
    both.min = left.min;
    both.max = left.max;
    return both;
  }
  both.min = std::min(left.min, right.min);
  both.max = std::max(left.max, right.max);
  both.mean = left.mean + (right.mean - left.mean) * right.finite / both.finite;
  return both;
}

void Series::add(const Sample& sample) {
  const std::uint64_t at = bucket(sample.position);
  if (!points_.empty() && bucket(points_.back().position) > at) {
    const auto behind = std::partition_point(points_.begin(), points_.end(),
                                             [&](const Point& each) { return bucket(each.position) <= at; });
    points_.erase(behind, points_.end());
  }
  if (points_.empty() || bucket(points_.back().position) < at) {
    put(sample, points_.emplace_back());
  } else if (stride_bits_ == 0) {
    put(sample, points_.back());
  } else {
    Point point;
    put(sample, point);
    points_.back() = joined(points_.back(), point);
  }
}

void Series::cut(std::uint64_t position) {
  const auto from = std::partition_point(points_.begin(), points_.end(),
                                         [position](const Point& each) { return each.position < position; });
  points_.erase(from, points_.end());
}

void Series::coarsen(std::uint64_t stride) {
  assert(std::has_single_bit(stride));
  stride_bits_ = static_cast<unsigned>(std::countr_zero(stride));
  std::vector<Point> fewer;
  for (const Point& point : points_) {
    if (!fewer.empty() && bucket(fewer.back().position) == bucket(point.position)) {
      fewer.back() = joined(fewer.back(), point);
    } else {
      fewer.push_back(point);
    }
  }
  points_ = std::move(fewer);
}

}  // namespace adarun::monitor
