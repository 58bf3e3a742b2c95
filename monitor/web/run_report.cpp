// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/run_report.h"

#include <algorithm>
#include <array>
#include <charconv>
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
constexpr std::size_t most_rank_rows = 512;

std::string dumped(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

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
  const std::set<std::uint32_t> troubled = troubled_ranks(run);
  ordered_json rows = ordered_json::array();
  for (const bool in_trouble : {true, false}) {
    for (const auto& [number, rank] : run.run().ranks()) {
      if (rows.size() == most_rank_rows || troubled.contains(number) != in_trouble) continue;
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

using Labels = std::vector<std::pair<std::string_view, std::string>>;

/// The lines of all runs for each metric, which the format requires to be adjacent.
using Metrics = std::map<std::string, std::string>;

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 40> text{};
  constexpr int digits = 12;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

void add_escaped(std::string& text, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
}

void add(Metrics& out, const std::string& name, const std::string& help, const Labels& labels, double value) {
  const std::string heading = "# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n";
  std::string& text = out.try_emplace(name, heading).first->second;
  text += name;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    text += i == 0 ? "{" : ",";
    text += std::string(labels[i].first) + "=\"";
    add_escaped(text, labels[i].second);
    text += '"';
  }
  text += "} " + number_text(value) + "\n";
}

void add_ranks(Metrics& out, const std::string& id, const WatchedRun& watched) {
  for (const auto& [number, rank] : watched.run().ranks()) {
    if (!rank.last) continue;
    Labels labels{{"run", id}, {"rank", std::to_string(number)}};
    if (const std::string node = watched.node_of(number); !node.empty()) labels.emplace_back("node", node);
    add(out, "adarun_rank_loss", "Last loss of a rank.", labels, rank.last->loss);
    add(out, "adarun_rank_step", "Last step of a rank, counted through the run.", labels,
        static_cast<double>(rank.last->position));
    if (rank.metrics.step_ms)
      add(out, "adarun_rank_step_seconds", "Time per step, as a rank printed it last.", labels,
          *rank.metrics.step_ms / 1000);
  }
}

void add_findings(Metrics& out, const std::string& id, const WatchedRun& watched) {
  std::map<std::string, int> counts;
  for (const RunFinding& finding : watched.findings()) ++counts[std::string(monitor::name_of(finding.fault))];
  add(out, "adarun_findings_all", "What was found to be wrong, of all kinds.", {{"run", id}},
      static_cast<double>(watched.findings().size()));
  for (const auto& [fault, count] : counts)
    add(out, "adarun_findings", "What was found to be wrong, by kind.", {{"run", id}, {"fault", fault}},
        count);
}

void add_run(Metrics& out, const std::string& id, const WatchedRun& watched) {
  const Run& run = watched.run();
  const Labels labels{{"run", id}};
  add(out, "adarun_ranks", "Ranks of the run.", labels, static_cast<double>(run.ranks().size()));
  add(out, "adarun_step", "Last step of any rank, counted through the run.", labels,
      static_cast<double>(run.position()));
  if (const MergedPoint* now = current_point(run)) {
    const auto add_loss = [&](const char* stat, double value) {
      add(out, "adarun_loss", "Loss over the ranks at the last step that nearly all have printed.",
          {{"run", id}, {"stat", stat}}, now->ranks == 0 ? NAN : value);
    };
    add_loss("min", now->min);
    add_loss("median", now->median);
    add_loss("max", now->max);
  }
  if (const std::vector<MergedPoint>& validation = run.merged_validation(); !validation.empty())
    add(out, "adarun_validation_loss", "Loss of the last validation, the median over the ranks.", labels,
        validation.back().ranks == 0 ? NAN : validation.back().median);
  for (const double part : {0.5, 0.9, 0.99})
    if (const auto ms = watched.step_times().quantile(part))
      add(out, "adarun_step_seconds", "Time per step.", {{"run", id}, {"quantile", number_text(part)}},
          *ms / 1000);
  if (const auto speed = images_per_s(run))
    add(out, "adarun_images_per_second", "Throughput of the run, as printed last.", labels, *speed);
  if (const auto share = accuracy(run))
    add(out, "adarun_accuracy", "Accuracy, 0 to 1, as printed last.", labels, *share);
  add_findings(out, id, watched);
  add_ranks(out, id, watched);
}

}  // namespace

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

std::string prometheus_text(const RunRegistry& registry) {
  Metrics out;
  registry.visit_open([&](const std::string& id, const WatchedRun& watched) { add_run(out, id, watched); });
  std::string all;
  for (const auto& [name, text] : out) all += text;
  return all;
}

}  // namespace adarun::monitor::web
