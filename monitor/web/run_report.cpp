// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/run_report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/clean_text.h"
#include "monitor/series/facts.h"
#include "monitor/view/summary.h"
#include "monitor/web/chart.h"

namespace adarun::monitor::web {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::size_t most_bars = 60;

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

struct ShownRank {
  std::uint32_t number = 0;
  const RunRank* rank = nullptr;
  bool troubled = false;
};

bool is_troubled(const RunRank& rank, bool behind) {
  if (rank.state == ProcessState::failed || rank.state == ProcessState::lost) return true;
  if (rank.last && !std::isfinite(rank.last->loss)) return true;
  return behind && rank.state != ProcessState::done;
}

std::vector<ShownRank> rows_of(const WatchedRun& run) {
  std::set<std::uint32_t> named;
  for (const RunFinding& finding : run.findings())
    if (finding.rank) named.insert(*finding.rank);
  std::vector<ShownRank> rows;
  const std::vector<std::uint32_t> behind = ranks_behind(run.run());
  for (const auto& [number, rank] : run.run().ranks()) {
    const bool is_behind = std::binary_search(behind.begin(), behind.end(), number);
    rows.push_back({number, &rank, named.contains(number) || is_troubled(rank, is_behind)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ShownRank& a, const ShownRank& b) { return a.troubled && !b.troubled; });
  if (rows.size() > most_rank_rows) rows.resize(most_rank_rows);
  return rows;
}

ordered_json ranks_json(const WatchedRun& run) {
  std::set<std::uint32_t> logged;
  for (const LogFile& log : run.logs()) logged.insert(log.rank);
  ordered_json rows = ordered_json::array();
  for (const ShownRank& row : rows_of(run)) {
    ordered_json json{{"rank", row.number},
                      {"node", base::clean_text(run.node_of(row.number))},
                      {"state", name_of(row.rank->state)},
                      {"troubled", row.troubled},
                      {"log", logged.contains(row.number)},
                      {"step_ms", json_of(row.rank->metrics.step_ms)}};
    if (row.rank->last) {
      json["position"] = row.rank->last->position;
      json["epoch"] = row.rank->last->epoch;
      json["step"] = row.rank->last->step;
      json["loss"] = row.rank->last->loss;  // null if not finite
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
  json["time_source"] = name_of(watched.time_source());
}

struct MetricLabel {
  std::string_view name;
  std::string value;
};

/// One metric with its samples, which the format requires to be adjacent.
struct MetricFamily {
  std::string help;
  std::string samples = {};
};

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

/// The metrics of all runs, by name.
class Exposition {
 public:
  void add(const std::string& name, const std::string& help, const std::vector<MetricLabel>& labels,
           double value) {
    std::string& text = families_.try_emplace(name, MetricFamily{help}).first->second.samples;
    text += name;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      text += i == 0 ? "{" : ",";
      text += std::string(labels[i].name) + "=\"";
      add_escaped(text, labels[i].value);
      text += '"';
    }
    text += "} " + number_text(value) + "\n";
  }

  std::string text() const {
    std::string all;
    for (const auto& [name, family] : families_)
      all += "# HELP " + name + " " + family.help + "\n# TYPE " + name + " gauge\n" + family.samples;
    return all;
  }

 private:
  std::map<std::string, MetricFamily> families_;
};

void add_ranks(Exposition& out, const std::string& id, const WatchedRun& watched) {
  for (const auto& [number, rank] : watched.run().ranks()) {
    if (!rank.last) continue;
    std::vector<MetricLabel> labels{{"run", id}, {"rank", std::to_string(number)}};
    if (const std::string node = watched.node_of(number); !node.empty()) labels.push_back({"node", node});
    out.add("adarun_rank_loss", "Last loss of a rank.", labels, rank.last->loss);
    out.add("adarun_rank_step", "Last step of a rank, counted through the run.", labels,
            static_cast<double>(rank.last->position));
    if (rank.metrics.step_ms)
      out.add("adarun_rank_step_seconds", "Time per step, as a rank printed it last.", labels,
              *rank.metrics.step_ms / 1000);
  }
}

void add_findings(Exposition& out, const std::string& id, const WatchedRun& watched) {
  std::map<std::string, int> counts;
  for (const RunFinding& finding : watched.findings()) ++counts[std::string(monitor::name_of(finding.fault))];
  out.add("adarun_findings_all", "What was found to be wrong, of all kinds.", {{"run", id}},
          static_cast<double>(watched.findings().size()));
  for (const auto& [fault, count] : counts)
    out.add("adarun_findings", "What was found to be wrong, by kind.", {{"run", id}, {"fault", fault}},
            count);
}

void add_run(Exposition& out, const std::string& id, const WatchedRun& watched) {
  const Run& run = watched.run();
  const std::vector<MetricLabel> labels{{"run", id}};
  out.add("adarun_ranks", "Ranks of the run.", labels, static_cast<double>(run.ranks().size()));
  out.add("adarun_step", "Last step of any rank, counted through the run.", labels,
          static_cast<double>(run.position()));
  if (const MergedPoint* now = current_point(run)) {
    const auto add = [&](const char* stat, double value) {
      out.add("adarun_loss", "Loss over the ranks at the last step that nearly all have printed.",
              {{"run", id}, {"stat", stat}}, now->ranks == 0 ? NAN : value);
    };
    add("min", now->min);
    add("median", now->median);
    add("max", now->max);
  }
  if (const std::vector<MergedPoint>& validation = run.merged_validation(); !validation.empty())
    out.add("adarun_validation_loss", "Loss of the last validation, the median over the ranks.", labels,
            validation.back().ranks == 0 ? NAN : validation.back().median);
  for (const double part : {0.5, 0.9, 0.99})
    if (const auto ms = watched.step_times().quantile(part))
      out.add("adarun_step_seconds", "Time per step.", {{"run", id}, {"quantile", number_text(part)}},
              *ms / 1000);
  if (const auto speed = images_per_s(run))
    out.add("adarun_images_per_second", "Throughput of the run, as printed last.", labels, *speed);
  if (const auto share = accuracy(run))
    out.add("adarun_accuracy", "Accuracy, 0 to 1, as printed last.", labels, *share);
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
  Exposition out;
  registry.visit_open([&](const std::string& id, const WatchedRun& watched) { add_run(out, id, watched); });
  return out.text();
}

}  // namespace adarun::monitor::web
