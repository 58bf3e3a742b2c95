// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "monitor/view/summary.h"

namespace adarun::monitor {
namespace {

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
                          {"findings", found},
                          {"attempts", attempts}};
  return base::escape_controls(json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace adarun::monitor
