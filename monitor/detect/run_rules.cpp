// SPDX-License-Identifier: Apache-2.0
// Finds faults of a whole run in its loss over the steps, merged over the ranks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "monitor/base/text.h"
#include "monitor/detect/finding.h"
#include "monitor/series/series.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t window = 20;             // Points before a spike that define the usual level ...
constexpr std::size_t most_window = 40;        // ... and where there are more.
constexpr std::size_t enough_run_points = 60;  // A shorter run is not judged.
constexpr double least_level = 0.01;           // Losses that differ by less are alike.

RunFinding run_finding(Fault fault, const MergedPoint& at, std::string evidence) {
  return {fault, std::nullopt, at.position, at.epoch, at.step, std::move(evidence), at.time_ms};
}

// Of the first `most` points that have a finite loss; nothing: none has.
std::optional<double> median_of_first(std::size_t most, std::span<const MergedPoint> points) {
  std::vector<double> values;
  for (const MergedPoint& point : points) {
    if (values.size() == most) break;
    if (point.ranks > 0) values.push_back(point.median);
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

std::optional<double> median_of(std::span<const MergedPoint> points) {
  return median_of_first(points.size(), points);
}

// From each point that has a finite loss to the next one.
std::vector<double> changes_of(std::span<const MergedPoint> points) {
  std::vector<double> changes;
  const MergedPoint* before = nullptr;
  for (const MergedPoint& point : points) {
    if (point.ranks == 0) continue;
    if (before != nullptr) changes.push_back(point.median - before->median);
    before = &point;
  }
  return changes;
}

// The first rank whose highest loss at `position` is this one.
std::optional<std::uint32_t> rank_with(const Run& run, std::uint64_t position, double loss) {
  for (const auto& [number, rank] : run.ranks()) {
    const std::vector<Point>& points = rank.series.points();
    const auto point = std::partition_point(points.begin(), points.end(),
                                            [&](const Point& each) { return each.position < position; });
    if (point != points.end() && point->finite > 0 && point->max == loss) return number;
  }
  return std::nullopt;
}

// Whether a loss of this level can be judged by its ratio to others: it is positive, and clearly above the
// noise around it. That of GRPO lies around zero, where each value is a multiple of any other.
bool is_clear(double level, double noise) {
  return level > 0 && level > 2 * noise;
}

// The spread of the losses around their curve.
double noise_of(std::span<const MergedPoint> points) {
  return spread(changes_of(points)) / std::sqrt(2);
}

/// A sliding window over the last losses; defines what a usual loss is. `least` is the least difference.
class Baseline {
 public:
  explicit Baseline(double least) : least_(least) {}

  void add(double value) {
    values_.push_back(value);
    if (values_.size() > most_window) values_.pop_front();
  }

  /// A spike is more than 10 spreads and 50 % above the median, and more than three times as far above it as
  /// all values in the window; its ratio to the median is more than 8 spreads of those of the window, as
  /// losses of single batches are seldom spread evenly.
  bool exceeded_by(double value) const {
    if (values_.size() < window) return false;
    const double highest = *std::max_element(values_.begin(), values_.end());
    if (value <= highest) return false;
    const std::vector<double> values(values_.begin(), values_.end());
    const double center = median(values);
    const double noise = spread(values);
    if (!is_clear(center, noise)) return false;
    if (value - center <= std::max({10 * noise, 0.5 * center, 3 * (highest - center), least_})) return false;
    std::vector<double> ratios;
    for (const double each : values)
      if (each > 0) ratios.push_back(std::log(each));
    return std::log(value / center) > 8 * spread(ratios);
  }

  double level() const { return median({values_.begin(), values_.end()}); }

 private:
  double least_;
  std::deque<double> values_;
};

}  // namespace

double least_difference(const Run& run) {
  const std::span<const MergedPoint> points = run.merged();
  return std::max({least_level, 0.05 * std::abs(median_of_first(window, points).value_or(0)),
                   0.05 * std::abs(median_of(points).value_or(0))});
}

namespace {

// One finding for each spike: the highest of its consecutive points.
void find_spikes(const Run& run, std::vector<RunFinding>& found) {
  Baseline highest(least_difference(run));
  Baseline middle = highest;
  const MergedPoint* peak = nullptr;
  std::uint64_t begin = 0;
  const auto report = [&] {
    if (peak == nullptr) return;
    RunFinding finding =
        run_finding(Fault::spike, *peak,
                    "the loss leaps to " + loss_text(peak->max) + " from " + loss_text(highest.level()));
    finding.begin = begin;
    if (run.ranks().size() > 1 && !middle.exceeded_by(peak->median))
      finding.rank = rank_with(run, peak->position, peak->max);
    found.push_back(std::move(finding));
    peak = nullptr;
  };
  for (const MergedPoint& point : run.merged()) {
    if (point.ranks == 0) continue;
    if (highest.exceeded_by(point.max)) {
      if (peak == nullptr) begin = point.position;
      if (peak == nullptr || point.max > peak->max) peak = &point;
      continue;
    }
    report();
    highest.add(point.max);
    middle.add(point.median);
  }
  if (peak != nullptr && peak != &run.merged().back()) report();
}

// Splits the run into 20 parts and compares the level of the last three with the lowest level. Parts without
// a finite loss have none, nor have those of a loss that is not yet computed and printed as 0. A run that
// begins near zero is not judged: it has not fallen.
void find_rise(const Run& run, std::vector<RunFinding>& found) {
  const std::span<const MergedPoint> points = run.merged();
  if (points.size() < enough_run_points) return;
  const std::size_t part = points.size() / 20;
  std::size_t lowest = 0;
  std::optional<double> low;
  std::vector<double> last;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::optional<double> level = median_of(points.subspan(i * part, part));
    if (!level || *level == 0) continue;
    if (!low || *level < *low) {
      lowest = i;
      low = level;
    }
    if (i > 16) last.push_back(*level);
  }
  if (last.empty() || lowest > 16) return;
  const double end = median(std::move(last));
  const double least = least_difference(run);
  // A loss that diverges is noisy at its end.
  const auto around = points.subspan(lowest > 0 ? (lowest - 1) * part : 0, 3 * part);
  if (!is_clear(*low, noise_of(around)) || median_of_first(window, points).value_or(0) <= least_level) return;
  if (end - *low <= std::max({3 * spread(changes_of(points)), 0.3 * std::abs(*low), least})) return;
  found.push_back(run_finding(Fault::rise, points[lowest * part + part / 2],
                              "the loss was " + loss_text(*low) + " here and is " + loss_text(end) +
                                  " at the end: does the learning rate rise too far?"));
}

// A plateau: the last third differs from the second by less than 1 % and is above 85 % of the level at
// the start: one that has fallen further may have learnt what there is to learn. With more noise than lets
// such a difference be seen, none can be told.
void find_plateau(const Run& run, std::vector<RunFinding>& found) {
  const std::span<const MergedPoint> points = run.merged();
  if (points.size() < enough_run_points) return;
  const std::size_t third = points.size() / 3;
  const std::optional<double> start = median_of_first(std::min(window, points.size() / 20), points);
  const std::optional<double> before = median_of(points.subspan(third, third));
  const std::optional<double> now = median_of(points.last(third));
  if (!start || !before || !now) return;
  if (std::abs(*before - *now) >= 0.01 * std::abs(*before) || *now <= 0.85 * *start) return;
  const double noise = noise_of(points.last(third));
  const double uncertain =
      1.77 * noise / std::sqrt(static_cast<double>(third));  // Of two medians' difference.
  if (!is_clear(*now, noise) || *start <= least_difference(run) || uncertain > 0.003 * *now) return;
  found.push_back(run_finding(
      Fault::plateau, points[points.size() - third],
      "the loss has stayed at " + loss_text(*now) + " since about here; it began at " + loss_text(*start)));
}

}  // namespace

void find_faults_of_run(const Run& run, std::vector<RunFinding>& found) {
  find_spikes(run, found);
  find_rise(run, found);
  find_plateau(run, found);
}

}  // namespace adarun::monitor
