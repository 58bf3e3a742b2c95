// SPDX-License-Identifier: Apache-2.0
#include "monitor/detect/behind.h"

#include <algorithm>
#include <optional>

#include "monitor/base/statistics.h"
#include "monitor/series/facts.h"

namespace adarun::monitor {
namespace {

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

std::vector<std::uint32_t> ranks_behind(const Run& run, std::uint64_t steps, Untimed untimed) {
  std::vector<std::uint32_t> behind;
  const std::vector<MergedPoint>& merged = run.merged();
  if (merged.size() <= steps + 1) return behind;
  const std::uint64_t limit = merged[merged.size() - 1 - steps].position;
  const std::optional<double> step_ms = untimed == Untimed::by_step_time ? usual_step_ms(run) : std::nullopt;
  const std::vector<std::uint32_t> ended = ended_ranks(run);
  for (const auto& [number, rank] : run.ranks()) {
    if (!rank.last || rank.last->position >= limit) continue;
    if (std::ranges::binary_search(ended, number)) continue;
    const std::optional<double> lag = lag_ms(run, rank.last->position, step_ms);
    if (!lag || *lag > static_cast<double>(max_lag_time.count())) behind.push_back(number);
  }
  return behind;
}

}  // namespace adarun::monitor
