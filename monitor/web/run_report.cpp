// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/run_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/clean_text.h"
#include "monitor/series/facts.h"
#include "monitor/view/summary.h"

namespace adarun::monitor::web {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::size_t most_bars = 60;

std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json json_of(const std::optional<double>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

bool is_troubled(const RunRank& rank, bool behind) {
  if (rank.state == ProcessState::failed || rank.state == ProcessState::lost) return true;
  if (rank.last && !std::isfinite(rank.last->loss)) return true;
  return behind && rank.state != ProcessState::done;
}

std::set<std::uint32_t> troubled_ranks(const WatchedRun& run) {
  std::set<std::uint32_t> troubled;
  for (const RunFinding& finding : run.findings())
    if (finding.rank) troubled.insert(*finding.rank);
  const std::vector<std::uint32_t> behind = ranks_behind(run.run());
  for (const auto& [number, rank] : run.run().ranks())
    if (is_troubled(rank, std::binary_search(behind.begin(), behind.end(), number))) troubled.insert(number);
  return troubled;
}

ordered_json ranks_json(const WatchedRun& run) {
  std::set<std::uint32_t> logged;
  for (const LogFile& log : run.logs()) logged.insert(log.rank);
  ordered_json rows = ordered_json::array();
  for (const auto& [number, in_trouble] : shown_ranks(run)) {
    const RunRank& rank = run.run().ranks().at(number);
    ordered_json json{{"rank", number},
                      {"node", base::clean_text(run.node_of(number))},
                      {"state", name_of(rank.state)},
                      {"troubled", in_trouble},
                      {"log", logged.contains(number)},
                      {"step_ms", json_of(rank.metrics.step_ms)}};
    if (rank.last) {
      json["position"] = rank.last->position;
      json["epoch"] = rank.last->epoch;
      json["step"] = rank.last->step;
      json["loss"] = rank.last->loss;  // null if not finite
    }
    rows.push_back(std::move(json));
  }
  return rows;
}

ordered_json findings_json(const WatchedRun& run) {
  ordered_json list = ordered_json::array();
  for (const RunFinding& finding : run.findings()) {
    ordered_json json{{"fault", monitor::name_of(finding.fault)},
                      {"epoch", finding.epoch},
                      {"step", finding.step},
                      {"position", finding.position},
                      {"evidence", base::clean_text(finding.evidence)}};
    if (finding.time_ms != 0) json["time_ms"] = finding.time_ms;
    if (finding.rank) json["rank"] = *finding.rank;
    if (finding.rank) json["node"] = base::clean_text(run.node_of(*finding.rank));
    list.push_back(std::move(json));
  }
  return list;
}

ordered_json step_times_json(const StepTimes& times) {
  ordered_json bars = ordered_json::array();
  for (const StepTimes::Bar& bar : times.bars(most_bars))
    bars.push_back(ordered_json::array({bar.from_ms, bar.to_ms, bar.steps}));
  return {{"bars", bars},
          {"p50", json_of(times.quantile(0.5))},
          {"p90", json_of(times.quantile(0.9))},
          {"p99", json_of(times.quantile(0.99))}};
}

// The layers of the last step that has any, as rows under the names of their numbers.
ordered_json layers_json(const WatchedRun& run) {
  if (run.metrics() == nullptr || run.metrics()->layers().numbers.empty()) return nullptr;
  const MetricsFile::LayerNumbers& layers = run.metrics()->layers();
  std::set<std::string> names;
  for (const auto& [layer, numbers] : layers.numbers)
    for (const auto& [name, number] : numbers) names.insert(name);
  ordered_json rows = ordered_json::array();
  for (const auto& [layer, numbers] : layers.numbers) {
    ordered_json row = ordered_json::array({base::clean_text(layer)});
    for (const std::string& name : names)
      row.push_back(numbers.contains(name) ? ordered_json(numbers.at(name)) : ordered_json(nullptr));
    rows.push_back(std::move(row));
  }
  return {{"epoch", layers.epoch}, {"step", layers.step}, {"names", names}, {"rows", rows}};
}

ordered_json point_json(const MergedPoint* point) {
  if (point == nullptr) return nullptr;
  ordered_json json{{"epoch", point->epoch}, {"step", point->step}, {"position", point->position}};
  json["ranks"] = point->ranks;
  if (point->ranks == 0) return json;
  json["min"] = point->min;
  json["median"] = point->median;
  json["max"] = point->max;
  return json;
}

// Where attempts took over from the ones before.
ordered_json attempts_json(const WatchedRun& watched) {
  ordered_json list = ordered_json::array();
  for (const RunAttempt& attempt : watched.run().attempts()) {
    if (!attempt.has_mark()) continue;
    ordered_json json{{"attempt", attempt.number},
                      {"change", base::clean_text(attempt.change)},
                      {"epoch", attempt.begin->epoch},
                      {"step", attempt.begin->step},
                      {"position", attempt.begin->position}};
    const bool timed = !watched.times().empty();
    json["seconds"] = timed ? ordered_json(watched.times().seconds_at(attempt.begin->position)) : nullptr;
    list.push_back(std::move(json));
  }
  return list;
}

void add_loss_curve(ordered_json& json, const WatchedRun& watched) {
  const Run& run = watched.run();
  const std::vector<MergedPoint>& merged = run.merged();
  json["points"] = merged.size();
  json["reading"] = !watched.has_caught_up();
  json["stride"] = run.stride();
  json["attempts"] = attempts_json(watched);
  json["first"] = point_json(merged.empty() ? nullptr : &merged.front());
  json["now"] = point_json(current_point(run));
  json["best"] = point_json(best_point(run));
  json["position"] = run.position();
  if (run.epochs()) json["epochs"] = *run.epochs();
  if (run.steps_per_epoch()) json["steps_per_epoch"] = *run.steps_per_epoch();
  json["seconds"] = watched.times().empty() ? ordered_json(nullptr)
                                            : ordered_json(watched.times().seconds_at(run.position()));
  json["time_source"] = watched.time_source();
}

}  // namespace

std::string_view name_of(ProcessState state) {
  switch (state) {
    case ProcessState::waiting:
      return "waiting";
    case ProcessState::running:
      return "running";
    case ProcessState::done:
      return "done";
    case ProcessState::failed:
      return "failed";
    case ProcessState::stopped:
      return "stopped";
    case ProcessState::lost:
      return "lost";
    case ProcessState::unknown:
      break;
  }
  return "";
}

std::vector<std::pair<std::uint32_t, bool>> shown_ranks(const WatchedRun& run) {
  const std::set<std::uint32_t> troubled = troubled_ranks(run);
  std::vector<std::pair<std::uint32_t, bool>> shown;
  for (const bool in_trouble : {true, false})
    for (const auto& [number, rank] : run.run().ranks())
      if (shown.size() < most_shown_ranks && troubled.contains(number) == in_trouble)
        shown.emplace_back(number, in_trouble);
  return shown;
}

std::string run_json(const std::string& id, const WatchedRun& watched, std::uint64_t version) {
  const Run& run = watched.run();
  const JobFacts& facts = watched.facts();
  ordered_json json{{"id", id},
                    {"version", version},
                    {"state", base::clean_text(facts.state)},
                    {"command", base::clean_text(facts.command)},
                    {"began_ms", facts.began_ns / ns_per_ms},
                    {"ranks", run.ranks().size()},
                    {"trouble", base::clean_text(watched.trouble())}};
  add_loss_curve(json, watched);
  json["images_per_s"] = json_of(images_per_s(run));
  const bool moves = facts.state.empty() || facts.state == "running";
  json["steps_per_s"] = json_of(moves ? watched.steps_per_s() : std::nullopt);
  json["accuracy"] = json_of(accuracy(run));
  json["step_times"] = step_times_json(watched.step_times());
  json["findings"] = findings_json(watched);
  json["rows"] = ranks_json(watched);
  json["quantities"] = quantity_names(watched);
  json["layers"] = layers_json(watched);
  return dumped(json);
}

std::string jobs_json(const RunRegistry& registry) {
  ordered_json list = ordered_json::array();
  for (const JobEntry& job : registry.jobs())
    list.push_back({{"id", job.id},
                    {"name", base::clean_text(job.name)},
                    {"state", base::clean_text(job.state)},
                    {"began_ms", job.began_ns / ns_per_ms},
                    {"ranks", job.ranks}});
  return dumped({{"shown", registry.shown()}, {"jobs", list}});
}

std::string log_json(const LogPage& page) {
  ordered_json lines = ordered_json::array();
  for (const LogPage::Line& line : page.lines)
    lines.push_back({{"at", line.at}, {"bytes", line.bytes}, {"text", line.text}});
  return dumped({{"size", page.size}, {"from", page.from}, {"to", page.to}, {"lines", lines}});
}

std::string error_json(const std::string& words) {
  return dumped({{"error", base::clean_text(words)}});
}

}  // namespace adarun::monitor::web
