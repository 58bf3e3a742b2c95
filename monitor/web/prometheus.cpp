// SPDX-License-Identifier: Apache-2.0
#include "monitor/web/prometheus.h"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "monitor/series/facts.h"
#include "monitor/web/json_text.h"

namespace adarun::monitor::web {
namespace {

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
  std::string text;
  add_number(text, value, 12);
  return text;
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

std::string prometheus_text(const RunRegistry& registry) {
  Exposition out;
  registry.visit_open([&](const std::string& id, const WatchedRun& watched) { add_run(out, id, watched); });
  return out.text();
}

}  // namespace adarun::monitor::web
