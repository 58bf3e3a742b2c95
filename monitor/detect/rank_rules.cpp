// SPDX-License-Identifier: Apache-2.0
// Finds faults of single ranks by comparing them with the others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "base/describe.h"
#include "monitor/base/text.h"
#include "monitor/detect/finding.h"
#include "monitor/series/facts.h"
#include "monitor/series/series.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t enough_rank_points = 20;  // A rank with fewer is not judged.
constexpr std::size_t enough_ranks = 3;         // With two that differ, either may be wrong.

RunFinding rank_finding(Fault fault, std::uint32_t rank, const Sample& at, std::string evidence) {
  return {fault, rank, at.position, at.epoch, at.step, std::move(evidence), at.time_ms};
}

// The finite losses of a rank from `position` on, newest first.
std::vector<double> losses_from(std::uint64_t position, const RunRank& rank) {
  std::vector<double> losses;
  const std::vector<Point>& points = rank.series.points();
  for (auto point = points.rbegin(); point != points.rend() && point->position >= position; ++point)
    if (point->finite > 0) losses.push_back(point->mean);
  return losses;
}

std::int64_t last_time_ms(const Run& run) {
  return run.merged().empty() ? 0 : run.merged().back().time_ms;
}

// The median loss over the run's last points, for each rank that has more than half of them.
std::map<std::uint32_t, double> recent_levels(const Run& run) {
  std::map<std::uint32_t, double> levels;
  const std::vector<MergedPoint>& merged = run.merged();
  if (merged.size() < enough_rank_points) return levels;
  const std::uint64_t recent = merged[merged.size() - enough_rank_points].position;
  for (const auto& [number, rank] : run.ranks()) {
    if (run.is_placeholder(rank)) continue;
    std::vector<double> losses = losses_from(recent, rank);
    if (losses.size() > enough_rank_points / 2) levels[number] = median(std::move(losses));
  }
  return levels;
}

// How far apart the losses of a rank are over the run's last points, by the median of the ranks.
double usual_range(const Run& run) {
  const std::uint64_t recent = run.merged()[run.merged().size() - enough_rank_points].position;
  std::vector<double> ranges;
  for (const auto& [number, rank] : run.ranks()) {
    const std::vector<double> losses = losses_from(recent, rank);
    if (losses.empty() || run.is_placeholder(rank)) continue;
    const auto [least, most] = std::minmax_element(losses.begin(), losses.end());
    ranges.push_back(*most - *least);
  }
  return median(std::move(ranges));
}

std::vector<double> values_of(const std::map<std::uint32_t, double>& by_rank) {
  std::vector<double> values;
  values.reserve(by_rank.size());
  for (const auto& [number, value] : by_rank) values.push_back(value);
  return values;
}

// Whether two ranks print the same where both have printed. To their last points, values may still be added.
bool agree(const std::vector<Point>& left, const std::vector<Point>& right) {
  auto one = left.begin();
  auto other = right.begin();
  while (one != left.end() - 1 && other != right.end() - 1) {
    if (one->position < other->position) {
      ++one;
    } else if (other->position < one->position) {
      ++other;
    } else if ((one++)->mean != (other++)->mean) {
      return false;
    }
  }
  return true;
}

// Whether two ranks print the same at the same steps, as far as the shorter one goes. To its last point,
// values may still be added.
bool begin_alike(const std::vector<Point>& left, const std::vector<Point>& right) {
  const auto common = static_cast<std::ptrdiff_t>(std::min(left.size(), right.size())) - 1;
  return std::equal(left.begin(), left.begin() + common, right.begin(), [](const Point& a, const Point& b) {
    return a.position == b.position && a.mean == b.mean && a.finite == b.finite;
  });
}

// Whether a rank's losses can be compared with those of others.
bool can_be_judged(const Run& run, const RunRank& rank) {
  return rank.series.points().size() >= enough_rank_points && !run.is_placeholder(rank);
}

// Whether all ranks that can be judged print one loss, which is that of the job. Some of them may have ended
// before others, or be a line behind.
bool all_agree(const Run& run) {
  const std::vector<Point> none;
  const std::vector<Point>* longest = &none;
  for (const auto& [number, rank] : run.ranks())
    if (rank.series.points().size() > longest->size() && !run.is_placeholder(rank))
      longest = &rank.series.points();
  return std::all_of(run.ranks().begin(), run.ranks().end(), [&](const auto& entry) {
    const std::vector<Point>& points = entry.second.series.points();
    return !can_be_judged(run, entry.second) || agree(points, *longest);
  });
}

// Whether so many different losses can hardly be the same by chance. Losses near zero, as 0.0001, often are.
bool varies(const std::vector<Point>& points) {
  constexpr std::size_t enough_values = 10;
  std::set<double> values;
  for (const Point& point : points)
    if (values.insert(point.mean).second && values.size() == enough_values) return true;
  return false;
}

// Whether all ranks are in groups of one size, as those that compute one model together (tensor or pipeline
// parallel) print one loss.
bool are_parallel(const std::vector<std::vector<std::uint32_t>>& groups, const Run& run) {
  std::size_t grouped = 0;
  for (const auto& group : groups) {
    if (group.size() != groups.front().size()) return false;
    grouped += group.size();
  }
  return static_cast<std::ptrdiff_t>(grouped) ==
         std::count_if(run.ranks().begin(), run.ranks().end(),
                       [&](const auto& entry) { return can_be_judged(run, entry.second); });
}

// Of the points that each rank that can be judged has, but for the last. Where all print the same at first,
// as a loss of 0, few others have the same one.
std::size_t hash_of_first(const std::vector<Point>& points) {
  std::size_t hash = 0;
  for (std::size_t i = 0; i + 1 < enough_rank_points; ++i) {
    const double mean = points[i].mean + 0.0;  // -0 is the same loss.
    for (const std::size_t part : {std::hash<std::uint64_t>()(points[i].position), std::hash<double>()(mean)})
      hash ^= part + 0x9e3779b9U + (hash << 6U) + (hash >> 2U);
  }
  return hash;
}

// Groups of ranks that print the same losses from their first step on. One may have ended before others, or
// be a line behind.
std::vector<std::vector<std::uint32_t>> groups_of_equals(const Run& run) {
  std::map<std::size_t, std::vector<std::vector<std::uint32_t>>> by_first;
  for (const auto& [number, rank] : run.ranks()) {
    const std::vector<Point>& points = rank.series.points();
    if (!can_be_judged(run, rank) || !varies(points)) continue;
    auto& groups = by_first[hash_of_first(points)];
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& ranks) {
      return begin_alike(run.ranks().at(ranks.front()).series.points(), points);
    });
    if (group == groups.end())
      groups.push_back({number});
    else
      group->push_back(number);
  }
  std::vector<std::vector<std::uint32_t>> found;
  for (auto& [first, groups] : by_first)
    for (auto& group : groups)
      if (group.size() > 1) found.push_back(std::move(group));
  std::sort(found.begin(), found.end());
  return found;
}

void find_not_finite(const Run& run, std::vector<RunFinding>& found) {
  const auto first = first_not_finite(run);
  if (!first) return;
  const std::string evidence =
      first->ranks == 1 ? "its loss is nan or inf; that of no other rank is"
                        : "the first of " + base::counted(first->ranks, "rank") + " whose loss is nan or inf";
  found.push_back(rank_finding(Fault::not_finite, first->rank, first->sample, evidence));
}

void find_bad_gradient(const Run& run, std::vector<RunFinding>& found) {
  const auto gradient = bad_gradient(run);
  if (!gradient) return;
  const std::uint64_t position = run.position() + 1;
  found.push_back({Fault::gradient, gradient->rank, position, gradient->epoch, gradient->step,
                   "its gradients held nan or inf, which ended the training", last_time_ms(run)});
}

// A rank has stopped when it is `enough_rank_points` printed steps and a tenth of the run behind, and silent:
// a slow one still prints.
void find_stopped(const Run& run, std::vector<RunFinding>& found) {
  const std::size_t printed = run.merged().size();
  const std::uint64_t far = std::max<std::uint64_t>(enough_rank_points, printed / 10);
  for (const std::uint32_t number : ranks_behind(run, far, StepTimeSource::by_steps_alone)) {
    const RunRank& rank = run.ranks().at(number);
    if (!is_silent(run, rank)) continue;
    const Sample& last = *rank.last;
    const MergedPoint& newest = run.merged().back();
    found.push_back(rank_finding(Fault::stopped, number, last,
                                 "its last step; others are at " + place_text(newest.epoch, newest.step)));
  }
}

// A straggler's step takes more than 1.5 times the median of all ranks.
void find_stragglers(const Run& run, std::vector<RunFinding>& found) {
  std::map<std::uint32_t, double> times;
  for (const auto& [number, rank] : run.ranks())
    if (rank.metrics.step_ms && rank.last) times[number] = *rank.metrics.step_ms;
  if (times.size() < enough_ranks) return;
  const double usual = median(values_of(times));
  for (const auto& [number, time] : times) {
    if (time <= 1.5 * usual) continue;
    found.push_back(rank_finding(Fault::straggler, number, *run.ranks().at(number).last,
                                 loss_text(time) + " ms a step, others " + loss_text(usual) + " ms"));
  }
}

// A rank diverges when its level is more than 10 spreads and more than 20 % away from the ranks' median, and
// further than a rank's own losses are apart.
void find_divergence(const Run& run, std::vector<RunFinding>& found) {
  const std::map<std::uint32_t, double> levels = recent_levels(run);
  if (levels.size() < enough_ranks) return;
  const double usual = median(values_of(levels));
  const double far = std::max(
      {10 * spread(values_of(levels)), 0.2 * std::abs(usual), usual_range(run), least_difference(run)});
  for (const auto& [number, level] : levels) {
    if (std::abs(level - usual) <= far) continue;
    found.push_back(rank_finding(Fault::divergence, number, *run.ranks().at(number).last,
                                 "its loss over the last " + base::counted(enough_rank_points, "point") +
                                     " is " + loss_text(level) + ", the others' " + loss_text(usual)));
  }
}

// If all ranks print the same loss, it is the loss of the whole job, which is no fault.
void find_same_data(const Run& run, std::vector<RunFinding>& found) {
  if (all_agree(run)) return;
  const std::vector<std::vector<std::uint32_t>> groups = groups_of_equals(run);
  if (groups.empty() || are_parallel(groups, run)) return;
  for (const std::vector<std::uint32_t>& group : groups) {
    const RunRank& rank = run.ranks().at(group[1]);
    const std::size_t points =
        std::min(rank.series.points().size(), run.ranks().at(group[0]).series.points().size());
    std::string others;
    for (std::size_t i = 2; i < std::min<std::size_t>(group.size(), 8); ++i)
      others += ", " + std::to_string(group[i]);
    if (group.size() > 8) others += " and " + std::to_string(group.size() - 8) + " more";
    found.push_back(rank_finding(Fault::same_data, group[1], *rank.last,
                                 "the same loss as rank " + std::to_string(group[0]) + " in all " +
                                     base::counted(points, "point") +
                                     (others.empty() ? "" : "; so have ranks " + others.substr(2)) +
                                     ": do they read the same shard?"));
  }
}

}  // namespace

void find_faults_of_ranks(const Run& run, std::vector<RunFinding>& found) {
  find_not_finite(run, found);
  find_bad_gradient(run, found);
  find_stopped(run, found);
  find_stragglers(run, found);
  find_divergence(run, found);
  find_same_data(run, found);
}

}  // namespace adarun::monitor
