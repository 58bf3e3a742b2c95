// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

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

Decimator::Decimator(double from, double to, std::size_t most, std::size_t points)
    : from_(from),
      to_(to),
      per_x_(points > most && to > from ? static_cast<double>(most) / (to - from) : 0),
      most_(most) {
  slices_.reserve(std::min(most, points));
}

void Decimator::add(const Slice& point) {
  if (point.x < from_ || point.x > to_) return;
  const std::size_t number = per_x_ == 0
                                 ? slices_.size()
                                 : std::min(static_cast<std::size_t>((point.x - from_) * per_x_), most_ - 1);
  if (slices_.empty() || number != current_) {
    slices_.push_back(point);
    middles_ = point.finite ? 1 : 0;
    current_ = number;
    return;
  }
  Slice& slice = slices_.back();
  slice.x = point.x;
  slice.not_finite += point.not_finite;
  if (!point.finite) return;
  slice.low = slice.finite ? std::min(slice.low, point.low) : point.low;
  slice.high = slice.finite ? std::max(slice.high, point.high) : point.high;
  slice.middle_low = slice.finite ? std::min(slice.middle_low, point.middle_low) : point.middle_low;
  slice.middle_high = slice.finite ? std::max(slice.middle_high, point.middle_high) : point.middle_high;
  slice.middle += (point.middle - slice.middle) / static_cast<double>(++middles_);
  slice.finite = true;
}

std::vector<Slice> Decimator::take() {
  return std::move(slices_);
}

}  // namespace adarun::monitor
