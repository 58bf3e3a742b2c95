// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "base/describe.h"
#include "monitor/base/text.h"
#include "monitor/view/styled_line.h"

namespace adarun::monitor {
namespace {

std::string place_of(const MergedPoint& point) {
  return place_text(point.epoch, point.step);
}

std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  constexpr std::size_t most = 16;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
  }
  if (ranks.size() > most) text += " and " + base::grouped(ranks.size() - most) + " more";
  return text;
}

std::string loss_summary(const Summary& summary) {
  const MergedPoint& now = *summary.now;
  std::string text = median_text(*summary.first) + " -> " + median_text(now);
  if (now.ranks > 1) {
    text += "  (median; " + (now.position == summary.last->position ? "last" : place_of(now)) + ": min " +
            loss_text(now.min) + ", max " + loss_text(now.max) + " over " + base::counted(now.ranks, "rank") +
            ")";
  } else if (summary.ranks_with_loss > 1) {
    text += "  (median; " + place_of(now) + ": " + base::counted(now.ranks, "rank") + ")";
  }
  return text;
}

std::string validation_text(const ValidationSummary& validation) {
  std::string text = median_text(validation.first);
  if (validation.count > 1) text += " -> " + median_text(validation.last);
  if (validation.best)
    text += "  (lowest " + loss_text(validation.best->median) + " at " + place_of(*validation.best) + ")";
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
  const std::string range = ", " + place_of(*summary.first) + " to " + place_of(*summary.last);
  if (summary.stride > 1)
    return "points of " + base::grouped(summary.stride) + " positions: " + base::grouped(summary.steps) +
           range;
  if (summary.steps == steps) return base::grouped(steps) + range;
  return base::grouped(steps) + ", " + base::grouped(summary.steps) + " of them printed" + range;
}

std::string attempt_text(const RunAttempt& attempt) {
  std::string text = "no loss yet";
  if (attempt.begin) text = "from " + place_text(attempt.begin->epoch, attempt.begin->step);
  if (attempt.replaced) text += ", and again by a later one";
  return text + ": " + attempt.change;
}

using nlohmann::ordered_json;

ordered_json json_of(const std::optional<MergedPoint>& point) {
  if (!point) return nullptr;
  ordered_json json{{"epoch", point->epoch},       {"step", point->step},
                    {"position", point->position}, {"min", point->min},
                    {"median", point->median},     {"max", point->max},
                    {"ranks", point->ranks},       {"not_finite", point->not_finite}};
  if (point->ranks == 0) json["min"] = json["median"] = json["max"] = nullptr;
  return json;
}

ordered_json json_of(const std::optional<ValidationSummary>& validation) {
  if (!validation) return nullptr;
  return {{"points", validation->count},
          {"first", json_of(std::optional(validation->first))},
          {"last", json_of(std::optional(validation->last))},
          {"best", json_of(validation->best)}};
}

ordered_json json_of(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const std::optional<FirstNotFinite>& first) {
  if (!first) return nullptr;
  return {{"rank", first->rank},
          {"epoch", first->sample.epoch},
          {"step", first->sample.step},
          {"ranks", first->ranks}};
}

ordered_json json_of(const RunFinding& finding, const NodeOf& node_of) {
  ordered_json json{{"fault", name_of(finding.fault)}, {"rank", nullptr},      {"node", nullptr},
                    {"epoch", finding.epoch},          {"step", finding.step}, {"position", finding.position},
                    {"evidence", finding.evidence}};
  json["time_ms"] = finding.time_ms == 0 ? ordered_json(nullptr) : ordered_json(finding.time_ms);
  if (!finding.rank) return json;
  json["rank"] = *finding.rank;
  if (const std::string node = node_of(*finding.rank); !node.empty()) json["node"] = node;
  return json;
}

ordered_json json_of(const RunAttempt& attempt) {
  ordered_json json{{"attempt", attempt.number}, {"change", attempt.change}, {"epoch", nullptr},
                    {"step", nullptr},           {"position", nullptr},      {"replaced", attempt.replaced}};
  if (attempt.begin)
    json.update({{"epoch", attempt.begin->epoch},
                 {"step", attempt.begin->step},
                 {"position", attempt.begin->position}});
  return json;
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
    if (seems_several(rank)) summary.mixed.push_back(number);
    if (run.is_placeholder(rank)) summary.left_out.push_back(number);
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
  add("ranks",
      base::grouped(summary.ranks) + ", " + base::grouped(summary.ranks_with_loss) + " with loss lines");
  for (const RunAttempt& attempt : summary.attempts)
    if (attempt.number > 1) add("attempt " + std::to_string(attempt.number), attempt_text(attempt));
  if (summary.first) add("steps", steps_text(summary));
  if (summary.first) add("loss", loss_summary(summary));
  if (summary.best) add("best", loss_text(summary.best->median) + " at " + place_of(*summary.best));
  if (summary.validation) add("validation", validation_text(*summary.validation));
  if (summary.images_per_s) add("throughput", throughput_text(*summary.images_per_s));
  if (summary.step_ms)
    add("step time",
        loss_text(*summary.step_ms) + " ms" + (summary.ranks_with_time > 1 ? ", the slowest rank's" : ""));
  if (summary.accuracy) add("accuracy", loss_text(*summary.accuracy));
  if (!summary.ended.empty()) add("ended", ranks_text(summary.ended));
  if (!summary.behind.empty()) add("behind", ranks_text(summary.behind));
  if (!summary.silent.empty()) add("no loss yet", ranks_text(summary.silent));
  if (!summary.mixed.empty())
    add("mixed", ranks_text(summary.mixed) +
                     ": each step comes again with other losses: of several ranks without tags, or of parts "
                     "of a batch");
  if (!summary.left_out.empty())
    add("left out", ranks_text(summary.left_out) +
                        ": only 0 or -1 as loss, as of earlier stages of a pipeline, while others vary");
  for (const RunFinding& finding : summary.findings)
    add(name_of(finding.fault), finding_text(finding, node_of));
  return lines;
}

std::string summary_json(const Summary& summary, const NodeOf& node_of) {
  ordered_json found = ordered_json::array();
  for (const RunFinding& finding : summary.findings) found.push_back(json_of(finding, node_of));
  ordered_json attempts = ordered_json::array();
  for (const RunAttempt& attempt : summary.attempts) attempts.push_back(json_of(attempt));
  const ordered_json json{{"ranks", summary.ranks},
                          {"ranks_with_loss", summary.ranks_with_loss},
                          {"steps", summary.steps},
                          {"stride", summary.stride},
                          {"first", json_of(summary.first)},
                          {"last", json_of(summary.last)},
                          {"best", json_of(summary.best)},
                          {"validation", json_of(summary.validation)},
                          {"first_not_finite", json_of(summary.not_finite)},
                          {"images_per_s", json_of(summary.images_per_s)},
                          {"step_ms", json_of(summary.step_ms)},
                          {"accuracy", json_of(summary.accuracy)},
                          {"ended", summary.ended},
                          {"behind", summary.behind},
                          {"silent", summary.silent},
                          {"mixed", summary.mixed},
                          {"left_out", summary.left_out},
                          {"findings", found},
                          {"attempts", attempts}};
  return base::escape_controls(json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace adarun::monitor
