// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/series.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <tuple>

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

struct RankPoint {
  std::uint64_t bucket;
  std::uint32_t rank;
  Point point;
};

// In the order of buckets, in each of ranks, and of each rank as they come in `ranks`.
std::vector<RankPoint> points_from(std::uint64_t from, std::uint64_t stride,
                                   std::span<const MergedCurve::RankSeries> ranks) {
  std::vector<RankPoint> points;
  for (const auto& [rank, series] : ranks) {
    const std::vector<Point>& own = series->points();
    auto point = std::partition_point(own.begin(), own.end(),
                                      [&](const Point& each) { return each.position / stride < from; });
    for (; point != own.end(); ++point) points.push_back({point->position / stride, rank, *point});
  }
  const auto before = [](const RankPoint& a, const RankPoint& b) {
    return std::tie(a.bucket, a.rank) < std::tie(b.bucket, b.rank);
  };
  if (!std::is_sorted(points.begin(), points.end(), before))
    std::stable_sort(points.begin(), points.end(), before);
  return points;
}

// The points of the bucket that begins at `at`, one for each rank; moves `at` behind it.
std::vector<Point> take_bucket(std::vector<RankPoint>::const_iterator& at,
                               std::vector<RankPoint>::const_iterator end) {
  std::vector<Point> points;
  const auto first = at;
  for (; at != end && at->bucket == first->bucket; ++at) {
    if (at != first && at->rank == (at - 1)->rank)
      points.back() = joined(points.back(), at->point);
    else
      points.push_back(at->point);
  }
  return points;
}

}  // namespace

void MergedCurve::update(std::span<const RankSeries> ranks, std::uint64_t stride) {
  const std::uint64_t from = stale_from_;
  while (!points_.empty() && points_.back().position / stride >= from) points_.pop_back();
  const std::vector<RankPoint> points = points_from(from, stride, ranks);
  for (auto at = points.begin(); at != points.end();) {
    std::vector<Point> bucket = take_bucket(at, points.end());
    points_.push_back(merge_bucket(bucket.begin(), bucket.end()));
  }
  stale_from_ = nothing_stale;
}

namespace {

// Adds a point to a slice of which `middles` points had a number before.
void add_to_slice(const Slice& point, Slice& slice, std::size_t& middles) {
  slice.x = point.x;
  slice.not_finite += point.not_finite;
  if (!point.finite) return;
  slice.low = slice.finite ? std::min(slice.low, point.low) : point.low;
  slice.high = slice.finite ? std::max(slice.high, point.high) : point.high;
  slice.middle_low = slice.finite ? std::min(slice.middle_low, point.middle_low) : point.middle_low;
  slice.middle_high = slice.finite ? std::max(slice.middle_high, point.middle_high) : point.middle_high;
  slice.middle += (point.middle - slice.middle) / static_cast<double>(++middles);
  slice.finite = true;
}

}  // namespace

std::vector<Slice> decimated(std::size_t points, std::size_t most,
                             const std::function<Slice(std::size_t)>& slice_at) {
  std::vector<Slice> slices;
  if (points == 0) return slices;
  const double from = slice_at(0).x;
  const double to = slice_at(points - 1).x;
  const double per_x = points > most && to > from ? static_cast<double>(most) / (to - from) : 0;
  slices.reserve(std::min(most, points));
  std::size_t current = 0;
  std::size_t middles = 0;  // Points with a number in the last slice.
  for (std::size_t i = 0; i < points; ++i) {
    const Slice point = slice_at(i);
    if (point.x < from || point.x > to) continue;
    const std::size_t number =
        per_x == 0 ? slices.size() : std::min(static_cast<std::size_t>((point.x - from) * per_x), most - 1);
    if (!slices.empty() && number == current) {
      add_to_slice(point, slices.back(), middles);
      continue;
    }
    slices.push_back(point);
    middles = point.finite ? 1 : 0;
    current = number;
  }
  return slices;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double spread(const std::vector<double>& values) {
  const double center = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) distances.push_back(std::abs(value - center));
  return 1.4826 * median(std::move(distances));
}

}  // namespace adarun::monitor
