// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/merged_curve.h"

#include <algorithm>
#include <tuple>

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

struct RankPoint {
  std::uint64_t bucket;
  std::uint32_t rank;
  Point point;
};

// In the order of buckets, in each of ranks, and of each rank as they come in `ranks`.
std::vector<RankPoint> points_from(std::uint64_t from, std::uint64_t stride,
                                   std::span<const RankSeries> ranks) {
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

void PastAttempts::add(PastRank rank) {
  if (rank.losses.points().empty() && rank.validations.points().empty()) return;
  count(rank);
  ranks_.push_back(std::move(rank));
}

void PastAttempts::cut(std::uint64_t position) {
  for (PastRank& rank : ranks_) {
    rank.losses.cut(position);
    rank.validations.cut(position);
  }
  std::erase_if(ranks_, [](const PastRank& rank) {
    return rank.losses.points().empty() && rank.validations.points().empty();
  });
  count_all();
}

void PastAttempts::coarsen(std::uint64_t stride) {
  for (PastRank& rank : ranks_) {
    rank.losses.coarsen(stride);
    rank.validations.coarsen(stride);
  }
  count_all();
}

void PastAttempts::count(const PastRank& rank) {
  points_ += rank.losses.points().size() + rank.validations.points().size();
  if (!rank.losses.points().empty()) position_ = std::max(position_, rank.losses.points().back().position);
}

void PastAttempts::count_all() {
  points_ = 0;
  position_ = 0;
  for (const PastRank& rank : ranks_) count(rank);
}

}  // namespace adarun::monitor
