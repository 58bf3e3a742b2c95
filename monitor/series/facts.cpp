// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/facts.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "monitor/base/text.h"
#include "monitor/series/series.h"

namespace adarun::monitor {
namespace {

constexpr double max_lag_ms = 1000;

std::optional<double> usual_step_ms(const Run& run) {
  std::vector<double> times;
  for (const auto& [number, rank] : run.ranks())
    if (rank.metrics.step_ms) times.push_back(*rank.metrics.step_ms);
  return times.empty() ? std::nullopt : std::optional(median(std::move(times)));
}

// How many ms before the newest line the other ranks printed the step after `position`.
std::optional<double> lag_ms(const Run& run, std::uint64_t position, const std::optional<double>& step_ms) {
  const std::vector<MergedPoint>& merged = run.merged();
  const auto next = std::partition_point(
      merged.begin(), merged.end(), [&](const MergedPoint& point) { return point.position <= position; });
  const MergedPoint& newest = merged.back();
  if (next != merged.end() && next->time_ms != 0 && newest.time_ms != 0)
    return static_cast<double>(newest.time_ms - next->time_ms);
  if (!step_ms) return std::nullopt;
  return static_cast<double>(newest.position - position) * *step_ms;
}

}  // namespace

std::optional<double> images_per_s(const Run& run) {
  return images_per_s_at(run, std::numeric_limits<std::uint64_t>::max());
}

std::optional<double> images_per_s_at(const Run& run, std::uint64_t position) {
  for (const auto& [number, rank] : run.ranks()) {
    if (rank.metrics.images_per_s && rank.throughput_from <= position) return rank.metrics.images_per_s;
  }
  return std::nullopt;
}

std::optional<double> accuracy(const Run& run) {
  for (const auto& [number, rank] : run.ranks()) {
    if (rank.metrics.accuracy) return rank.metrics.accuracy;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> ended_ranks(const Run& run) {
  std::vector<std::uint32_t> ended;
  bool others = false;
  for (const auto& [number, rank] : run.ranks()) {
    if (!rank.last) continue;
    const bool continues = !has_ended(rank.state) || rank.state == ProcessState::done;
    others = others || continues;
    if (!continues) ended.push_back(number);
  }
  return others ? ended : std::vector<std::uint32_t>{};
}

const MergedPoint* current_point(const Run& run) {
  const std::size_t ended = ended_ranks(run).size();
  const std::size_t members = static_cast<std::size_t>(std::count_if(
                                  run.ranks().begin(), run.ranks().end(),
                                  [](const auto& entry) { return entry.second.last.has_value(); })) -
                              ended;
  const auto ranks_at = [&](const MergedPoint& point) {
    const std::size_t ranks = std::size_t{point.ranks} + point.not_finite;
    return ended == 0 ? ranks : std::min(ranks, members);
  };
  const std::vector<MergedPoint>& merged = run.merged();
  const MergedPoint* current = nullptr;
  const auto& attempt_begin = run.attempts().back().begin;
  const std::size_t begin = merged.size() < 3 ? 0 : merged.size() - 3;
  for (std::size_t i = merged.size(); i-- > begin;) {
    const MergedPoint& point = merged[i];
    if (current != nullptr && attempt_begin && point.position < attempt_begin->position) break;
    if (current == nullptr || ranks_at(point) > ranks_at(*current)) current = &point;
  }
  return current;
}

const MergedPoint* best_point(const Run& run) {
  const MergedPoint* best = nullptr;
  for (const MergedPoint& point : run.merged()) {
    if (best != nullptr && point.median >= best->median) continue;
    if (2 * std::size_t{point.ranks} > run.ranks_with_loss(point.position)) best = &point;
  }
  return best;
}

const MergedPoint* best_validation(const Run& run) {
  const MergedPoint* best = nullptr;
  for (const MergedPoint& point : run.merged_validation())
    if (point.ranks > 0 && (best == nullptr || point.median < best->median)) best = &point;
  return best;
}

std::string median_text(const MergedPoint& point) {
  return point.ranks == 0 ? "nan" : loss_text(point.median);
}

std::optional<FirstNotFinite> first_not_finite(const Run& run) {
  std::optional<FirstNotFinite> first;
  std::uint32_t ranks = 0;
  for (const auto& [number, rank] : run.ranks()) {
    if (!rank.first_not_finite) continue;
    ++ranks;
    if (!first || rank.first_not_finite->position < first->sample.position) {
      first = FirstNotFinite{number, *rank.first_not_finite, 0};
    }
  }
  if (first) first->ranks = ranks;
  return first;
}

std::optional<GradientLine> bad_gradient(const Run& run) {
  for (const auto& [number, rank] : run.ranks())
    if (rank.bad_gradient) return rank.bad_gradient;
  return std::nullopt;
}

std::vector<std::uint32_t> ranks_behind(const Run& run, std::uint64_t steps, StepTimeSource untimed) {
  std::vector<std::uint32_t> behind;
  const std::vector<MergedPoint>& merged = run.merged();
  if (merged.size() <= steps + 1) return behind;
  const std::uint64_t limit = merged[merged.size() - 1 - steps].position;
  const std::optional<double> step_ms =
      untimed == StepTimeSource::by_step_time ? usual_step_ms(run) : std::nullopt;
  const std::vector<std::uint32_t> ended = ended_ranks(run);
  for (const auto& [number, rank] : run.ranks()) {
    if (!rank.last || rank.last->position >= limit) continue;
    if (std::ranges::binary_search(ended, number)) continue;
    const std::optional<double> lag = lag_ms(run, rank.last->position, step_ms);
    if (!lag || *lag > max_lag_ms) behind.push_back(number);
  }
  return behind;
}

namespace {

// From one step of a rank to the next, over its last points whose times are known; 0: not known. Nothing if
// times go back, as those of lines that were written by several clocks.
std::optional<double> usual_interval_ms(const RunRank& rank) {
  constexpr std::size_t most_points = 20;
  const std::vector<Point>& points = rank.series.points();
  std::size_t first = points.size();
  while (first > 0 && points.size() - first < most_points && points[first - 1].time_ms != 0) --first;
  const std::size_t count = points.size() - first;
  if (count < 2) return 0;
  const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
  if (!std::is_sorted(begin, points.end(),
                      [](const Point& a, const Point& b) { return a.time_ms < b.time_ms; }))
    return std::nullopt;
  return static_cast<double>(points.back().time_ms - points[first].time_ms) / static_cast<double>(count - 1);
}

// The time of the first step that was seen to arrive; 0: none was.
std::int64_t first_known_ms(const Run& run) {
  std::int64_t first = 0;
  for (auto point = run.merged().rbegin(); point != run.merged().rend() && point->time_ms != 0; ++point)
    first = point->time_ms;
  return first;
}

std::int64_t newest_written_ms(const Run& run) {
  std::int64_t newest = 0;
  for (const auto& [number, rank] : run.ranks()) newest = std::max(newest, rank.written_ms);
  return newest;
}

}  // namespace

bool is_silent(const Run& run, const RunRank& rank) {
  constexpr double most_silence_ms = 5000;
  constexpr double most_intervals = 10;
  if (rank.state == ProcessState::done) return false;
  if (!rank.last || run.merged().empty()) return true;
  const std::int64_t newest_ms = run.merged().back().time_ms;
  const std::optional<double> interval_ms = usual_interval_ms(rank);
  if (newest_ms != 0 && interval_ms) {
    const std::int64_t last_ms = rank.last->time_ms != 0 ? rank.last->time_ms : first_known_ms(run);
    const double least = std::max(most_silence_ms, most_intervals * *interval_ms);
    return static_cast<double>(newest_ms - last_ms) > least;
  }
  if (rank.silence) return *rank.silence > most_intervals;
  if (rank.state == ProcessState::running && rank.written_ms != 0)
    return static_cast<double>(newest_written_ms(run) - rank.written_ms) > most_silence_ms;
  return true;
}

}  // namespace adarun::monitor
