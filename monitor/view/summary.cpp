// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/summary.h"

#include <algorithm>
#include <cmath>

#include "monitor/base/text.h"
#include "monitor/detect/behind.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {
namespace {

std::string place_text(const MergedPoint& point) {
  return "epoch " + std::to_string(point.epoch) + " step " + std::to_string(point.step);
}

std::string median_text(const MergedPoint& point) {
  return point.ranks == 0 ? "nan" : loss_text(point.median);
}

std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t most = 16;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > most) text += " and " + count_text(ranks.size() - most) + " more";
  return text;
}

std::string loss_summary(const Summary& summary) {
  const MergedPoint& now = *summary.now;
  std::string text = median_text(*summary.first) + " -> " + median_text(now);
  if (now.ranks > 1) {
    text += "  (median; " + (now.position == summary.last->position ? "last" : place_text(now)) + ": min " +
            loss_text(now.min) + ", max " + loss_text(now.max) + " over " + counted(now.ranks, "rank") + ")";
  } else if (summary.ranks_with_loss > 1) {
    text += "  (median; " + place_text(now) + ": " + counted(now.ranks, "rank") + ")";
  }
  return text;
}

std::string validation_text(const ValidationSummary& validation) {
  std::string text = median_text(validation.first);
  if (validation.count > 1) text += " -> " + median_text(validation.last);
  if (validation.best)
    text += "  (lowest " + loss_text(validation.best->median) + " at " + place_text(*validation.best) + ")";
  return text;
}

std::optional<ValidationSummary> validation_of(const Run& run) {
  const std::vector<MergedPoint>& points = run.merged_validation();
  if (points.empty()) return std::nullopt;
  ValidationSummary validation{points.size(), points.front(), points.back(), std::nullopt};
  if (const MergedPoint* best = best_validation(run)) validation.best = *best;
  return validation;
}

// Not every step is printed; in a long run a point covers several steps.
std::string steps_text(const Summary& summary) {
  const std::uint64_t steps = summary.last->position - summary.first->position + 1;
  const std::string range = ", " + place_text(*summary.first) + " to " + place_text(*summary.last);
  if (summary.stride > 1)
    return "points of " + count_text(summary.stride) + " positions: " + count_text(summary.steps) + range;
  if (summary.steps == steps) return count_text(steps) + range;
  return count_text(steps) + ", " + count_text(summary.steps) + " of them printed" + range;
}

std::string attempt_text(const RunAttempt& attempt) {
  std::string text = "no loss yet";
  if (attempt.begin)
    text =
        "from epoch " + std::to_string(attempt.begin->epoch) + " step " + std::to_string(attempt.begin->step);
  if (attempt.replaced) text += ", and again by a later one";
  return text + ": " + attempt.change;
}

}  // namespace

Summary summary_of(const Run& run) {
  Summary summary;
  summary.ranks = run.ranks().size();
  summary.steps = run.merged().size();
  summary.stride = run.stride();
  if (!run.merged().empty()) summary.first = run.merged().front();
  if (!run.merged().empty()) summary.last = run.merged().back();
  if (const MergedPoint* now = current_point(run)) summary.now = *now;
  if (const MergedPoint* best = best_point(run)) summary.best = *best;
  summary.validation = validation_of(run);
  summary.images_per_s = images_per_s(run);
  summary.accuracy = accuracy(run);
  summary.not_finite = first_not_finite(run);
  summary.findings = findings(run);
  summary.ended = ended_ranks(run);
  summary.behind = ranks_behind(run);
  summary.attempts = run.attempts();
  for (const auto& [number, rank] : run.ranks()) {
    if (rank.last) ++summary.ranks_with_loss;
    if (!rank.last) summary.silent.push_back(number);
    if (const auto step_ms = rank.metrics.step_ms) {
      ++summary.ranks_with_time;
      summary.step_ms = std::max(summary.step_ms.value_or(*step_ms), *step_ms);
    }
  }
  return summary;
}

std::vector<std::string> summary_lines(const Summary& summary, const NodeOf& node_of) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view name, const std::string& text) {
    StyledLine line(1000, false);
    line.add(name).pad_to(12).add(text);
    lines.push_back(line.bytes());
  };
  add("ranks", count_text(summary.ranks) + ", " + count_text(summary.ranks_with_loss) + " with loss lines");
  for (const RunAttempt& attempt : summary.attempts)
    if (attempt.number > 1) add("attempt " + std::to_string(attempt.number), attempt_text(attempt));
  if (summary.first) add("steps", steps_text(summary));
  if (summary.first) add("loss", loss_summary(summary));
  if (summary.best) add("best", loss_text(summary.best->median) + " at " + place_text(*summary.best));
  if (summary.validation) add("validation", validation_text(*summary.validation));
  if (summary.images_per_s) {
    add("throughput",
        count_text(static_cast<std::uint64_t>(std::llround(*summary.images_per_s))) + " images/s");
  }
  if (summary.step_ms)
    add("step time",
        loss_text(*summary.step_ms) + " ms" + (summary.ranks_with_time > 1 ? ", the slowest rank's" : ""));
  if (summary.accuracy) add("accuracy", loss_text(*summary.accuracy));
  if (!summary.ended.empty()) add("ended", ranks_text(summary.ended));
  if (!summary.behind.empty()) add("behind", ranks_text(summary.behind));
  if (!summary.silent.empty()) add("no loss yet", ranks_text(summary.silent));
  for (const RunFinding& finding : summary.findings)
    add(name_of(finding.fault), finding_text(finding, node_of));
  return lines;
}

}  // namespace adarun::monitor
