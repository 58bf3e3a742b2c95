// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <algorithm>
#include <cmath>

namespace adarun::monitor {
namespace {

Point point_of(const Sample& sample) {
  Point point{.position = sample.position, .epoch = sample.epoch, .step = sample.step};
  if (std::isfinite(sample.loss)) {
    point.mean = point.min = point.max = sample.loss;
    point.finite = 1;
  } else {
    point.not_finite = 1;
  }
  return point;
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
  const Point point = point_of(sample);
  const std::uint64_t at = bucket(sample.position);
  while (!points_.empty() && bucket(points_.back().position) > at) points_.pop_back();
  if (points_.empty() || bucket(points_.back().position) < at) {
    points_.push_back(point);
  } else if (stride_ == 1) {
    points_.back() = point;
  } else {
    points_.back() = joined(points_.back(), point);
  }
}

void Series::coarsen(std::uint64_t stride) {
  stride_ = stride;
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
