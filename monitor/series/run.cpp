// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

namespace adarun::monitor {
namespace {

constexpr std::uint64_t nothing_stale = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t least_points_per_rank = 256;

template <typename Value>
void update(std::optional<Value>& value, const std::optional<Value>& newer) {
  if (newer) value = newer;
}

// Drops what an abandoned attempt of the run reported at `position` and after it.
void rewind(RunRank& rank, std::uint64_t position) {
  if (rank.first_not_finite && rank.first_not_finite->position >= position) rank.first_not_finite.reset();
  if (!rank.best || rank.best->position < position) return;
  rank.best.reset();
  for (const Point& point : rank.series.points()) {
    if (point.position >= position) break;
    if (point.finite == 0) continue;
    if (!rank.best || point.min < rank.best->loss) {
      rank.best = Sample{point.position, point.epoch, point.step, point.min, point.time_ms};
    }
  }
}

bool is_before(const Sample& sample, const GradientLine& end) {
  return std::tie(sample.epoch, sample.step) < std::tie(end.epoch, end.step);
}

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
                               const std::map<std::uint32_t, RunRank>& ranks) {
  std::vector<Point> points;
  for (const auto& [number, rank] : ranks) {
    const std::vector<Point>& own = rank.series.points();
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

// Updates `merged` from the series of all ranks, from bucket `from` on (a bucket is a position divided by
// `stride`). Earlier points are kept.
void merge_from(std::uint64_t from, std::uint64_t stride, const std::map<std::uint32_t, RunRank>& ranks,
                std::vector<MergedPoint>& merged) {
  while (!merged.empty() && merged.back().position / stride >= from) merged.pop_back();
  std::vector<Point> points = points_from(from, stride, ranks);
  for (auto begin = points.begin(); begin != points.end();) {
    const auto end = std::find_if(begin, points.end(), [&](const Point& point) {
      return point.position / stride != begin->position / stride;
    });
    merged.push_back(merge_bucket(begin, end));
    begin = end;
  }
}

}  // namespace

void Run::expect(std::uint32_t world_size) {
  for (std::uint32_t rank = 0; rank < world_size; ++rank) ranks_[rank];
}

void Run::feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms) {
  feeding_ms_ = time_ms;
  RunRank& its = ranks_[rank];
  if (patterns_) its.reader.use(patterns_);
  its.reader.feed(bytes, listener_of(rank, its));
}

void Run::finish(std::uint32_t rank) {
  RunRank& its = ranks_[rank];
  its.reader.finish(listener_of(rank, its));
}

void Run::restart(std::uint32_t rank) {
  ranks_[rank].reader.reset();
}

LogListener Run::listener_of(std::uint32_t number, RunRank& rank) {
  return {.loss = [this, &rank](const LossLine& line) { take_loss(rank, line); },
          .metrics = [this, number, &rank](const MetricLine& line) { take_metrics(number, rank, line); },
          .gradient = [&rank](const GradientLine& line) { rank.bad_gradient = line; }};
}

void Run::take_loss(RunRank& rank, const LossLine& line) {
  update(epochs_, line.epochs);
  Sample sample = clock_.place(rank.last, line);
  sample.time_ms = feeding_ms_;
  if (rank.bad_gradient && is_before(sample, *rank.bad_gradient)) rank.bad_gradient.reset();
  ++lines_;
  ++rank.loss_lines;
  if (rank.last && sample.position <= rank.last->position) rewind(rank, sample.position);
  rank.series.add(sample);
  if (!rank.first) rank.first = sample;
  rank.last = sample;
  if (!std::isfinite(sample.loss)) {
    if (!rank.first_not_finite) rank.first_not_finite = sample;
  } else if (!rank.best || sample.loss < rank.best->loss) {
    rank.best = sample;
  }
  stale_from_ = std::min(stale_from_, sample.position >> std::countr_zero(stride_));
  keep_in_budget(rank);
}

void Run::take_metrics(std::uint32_t number, RunRank& rank, const MetricLine& line) {
  if (const auto steps = line.steps_per_epoch(); steps && !clock_.steps_per_epoch()) clock_.learn(*steps);
  update(rank.metrics.epoch_ms, line.epoch_ms);
  update(rank.metrics.step_ms, line.step_ms);
  update(rank.metrics.images_per_s, line.images_per_s);
  if (line.images_per_s && rank.last) rank.throughput_from = rank.last->position;
  update(rank.metrics.accuracy, line.accuracy);
  update(rank.metrics.learning_rate, line.learning_rate);
  if (metric_listener_) metric_listener_(number, rank.last ? rank.last->position : 0, line);
}

void Run::keep_in_budget(const RunRank& rank) {
  const std::size_t points = rank.series.points().size();
  if (points <= least_points_per_rank || points * ranks_.size() <= point_budget_) return;
  stride_ *= 2;
  for (auto& [number, its] : ranks_) its.series.coarsen(stride_);
  merged_.clear();
  stale_from_ = 0;
}

const std::vector<MergedPoint>& Run::merged() const {
  if (stale_from_ == nothing_stale) return merged_;
  merge_from(stale_from_, stride_, ranks_, merged_);
  stale_from_ = nothing_stale;
  return merged_;
}

std::optional<std::uint64_t> Run::length() const {
  const auto steps = steps_per_epoch();
  return epochs_ && steps ? std::optional(*epochs_ * *steps) : std::nullopt;
}

std::uint64_t Run::position() const {
  std::uint64_t last = 0;
  for (const auto& [number, rank] : ranks_) {
    if (rank.last) last = std::max(last, rank.last->position);
  }
  return last;
}

}  // namespace adarun::monitor
