// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "base/clean_text.h"
#include "monitor/series/facts.h"
#include "monitor/web/run_report.h"

namespace adarun::monitor::web {
namespace {

constexpr double ms_per_s = 1000;

/// All samples of one name; a summary has samples with further names.
struct Family {
  std::string_view name;
  std::string_view help;
  std::string_view type = "gauge";
};

constexpr Family ranks{"adarun_ranks", "Ranks of the run by the state of their processes."};
constexpr Family ranks_behind_others{"adarun_ranks_behind", "Ranks that are some steps behind the newest."};
constexpr Family ranks_silent{"adarun_ranks_silent",
                              "Ranks behind the newest step that print no steps any more."};
constexpr Family last_step{"adarun_step", "Last step of any rank, counted through the run."};
constexpr Family last_step_time{
    "adarun_last_step_timestamp_seconds",
    "When the newest step was read, as a Unix time; of the past, when its log was written."};
constexpr Family loss_min{"adarun_loss_min",
                          "Lowest loss of a rank at the last step that nearly all have printed."};
constexpr Family loss_median{"adarun_loss_median",
                             "Median of the ranks' losses at the last step that nearly all have printed."};
constexpr Family loss_max{"adarun_loss_max",
                          "Highest loss of a rank at the last step that nearly all have printed."};
constexpr Family validation_loss{"adarun_validation_loss",
                                 "Loss of the last validation, the median over the ranks."};
constexpr Family step_duration{"adarun_step_duration_seconds", "Time per step.", "summary"};
constexpr Family images_per_second{"adarun_images_per_second", "Throughput of the run, as printed last."};
constexpr Family accuracy_ratio{"adarun_accuracy_ratio", "Accuracy, 0 to 1, as printed last."};
constexpr Family findings_by_fault{"adarun_findings", "What was found to be wrong, by kind."};
constexpr Family rank_loss{"adarun_rank_loss", "Last loss of a rank."};
constexpr Family rank_step{"adarun_rank_step", "Last step of a rank, counted through the run."};
constexpr Family rank_step_time{
    "adarun_rank_last_step_timestamp_seconds",
    "When the last step of a rank was read, as a Unix time; of the past, when its log was written."};
constexpr Family rank_step_duration{"adarun_rank_step_duration_seconds",
                                    "Time per step, as a rank printed it last."};

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 40> text{};
  constexpr int digits = 13;  // Milliseconds of a Unix time in seconds.
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

// Prometheus refuses all of a reply that has invalid UTF-8.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : base::clean_text(value)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text;
}

/// The samples of all runs, those of a family together, as the format requires.
class Samples {
 public:
  void add(const Family& family, const Labels& labels, double value, std::string_view suffix = "") {
    std::string& text = families_[family.name];
    if (text.empty())
      for (const auto& [word, rest] : {std::pair("# HELP ", family.help), std::pair("# TYPE ", family.type)})
        text.append(word).append(family.name).append(" ").append(rest).append("\n");
    text.append(family.name).append(suffix);
    for (std::size_t i = 0; i < labels.size(); ++i)
      text.append(i == 0 ? "{" : ",")
          .append(labels[i].first)
          .append("=\"" + escaped(labels[i].second) + "\"");
    text += "} " + number_text(value) + "\n";
  }

  std::string text() const {
    std::string all;
    for (const auto& [name, text] : families_) all += text;
    return all;
  }

 private:
  std::map<std::string_view, std::string> families_;
};

std::int64_t last_step_ms(const RunRank& rank) {
  return rank.last && rank.last->time_ms != 0 ? rank.last->time_ms : rank.written_ms;
}

void add_time(Samples& out, const Family& family, const Labels& labels, std::int64_t time_ms) {
  if (time_ms != 0) out.add(family, labels, static_cast<double>(time_ms) / ms_per_s);
}

// States that no rank is in are there too: a sum over time needs a 0.
void add_states(Samples& out, const std::string& id, const Run& run) {
  std::map<ProcessState, int> counts;
  for (const ProcessState state :
       {ProcessState::unknown, ProcessState::waiting, ProcessState::running, ProcessState::done,
        ProcessState::failed, ProcessState::stopped, ProcessState::lost})
    counts[state] = 0;
  for (const auto& [number, rank] : run.ranks()) ++counts[rank.state];
  for (const auto& [state, count] : counts)
    out.add(
        ranks,
        {{"run", id}, {"state", std::string(state == ProcessState::unknown ? "unknown" : name_of(state))}},
        count);
  const std::vector<std::uint32_t> behind = ranks_behind(run);
  const auto silent = std::ranges::count_if(
      behind, [&run](std::uint32_t rank) { return is_silent(run, run.ranks().at(rank)); });
  out.add(ranks_behind_others, {{"run", id}}, static_cast<double>(behind.size()));
  out.add(ranks_silent, {{"run", id}}, static_cast<double>(silent));
}

void add_losses(Samples& out, const Labels& labels, const Run& run) {
  if (const MergedPoint* now = current_point(run)) {
    const bool is_finite = now->ranks != 0;
    out.add(loss_min, labels, is_finite ? now->min : NAN);
    out.add(loss_median, labels, is_finite ? now->median : NAN);
    out.add(loss_max, labels, is_finite ? now->max : NAN);
  }
  if (const std::vector<MergedPoint>& validation = run.merged_validation(); !validation.empty())
    out.add(validation_loss, labels, validation.back().ranks == 0 ? NAN : validation.back().median);
}

void add_durations(Samples& out, const std::string& id, const StepTimes& times) {
  if (times.empty()) return;
  for (const double part : {0.5, 0.9, 0.99})
    out.add(step_duration, {{"run", id}, {"quantile", number_text(part)}}, *times.quantile(part) / ms_per_s);
  out.add(step_duration, {{"run", id}}, times.sum_ms() / ms_per_s, "_sum");
  out.add(step_duration, {{"run", id}}, static_cast<double>(times.steps()), "_count");
}

void add_findings(Samples& out, const std::string& id, const WatchedRun& watched) {
  for (int kind = 0; kind <= static_cast<int>(Fault::plateau); ++kind) {
    const auto fault = static_cast<Fault>(kind);
    const auto count = std::ranges::count(watched.findings(), fault, &RunFinding::fault);
    out.add(findings_by_fault, {{"run", id}, {"fault", std::string(monitor::name_of(fault))}},
            static_cast<double>(count));
  }
}

void add_ranks(Samples& out, const std::string& id, const WatchedRun& watched) {
  for (const auto& [number, in_trouble] : shown_ranks(watched)) {
    const RunRank& rank = watched.run().ranks().at(number);
    if (!rank.last) continue;
    Labels labels{{"run", id}, {"rank", std::to_string(number)}};
    if (const std::string node = watched.node_of(number); !node.empty()) labels.emplace_back("node", node);
    out.add(rank_loss, labels, rank.last->loss);
    out.add(rank_step, labels, static_cast<double>(rank.last->position));
    add_time(out, rank_step_time, labels, last_step_ms(rank));
    if (rank.metrics.step_ms) out.add(rank_step_duration, labels, *rank.metrics.step_ms / ms_per_s);
  }
}

void add_run(Samples& out, const std::string& id, const WatchedRun& watched) {
  const Run& run = watched.run();
  const Labels labels{{"run", id}};
  add_states(out, id, run);
  out.add(last_step, labels, static_cast<double>(run.position()));
  std::int64_t newest_ms = 0;
  for (const auto& [number, rank] : run.ranks()) newest_ms = std::max(newest_ms, last_step_ms(rank));
  add_time(out, last_step_time, labels, newest_ms);
  add_losses(out, labels, run);
  add_durations(out, id, watched.step_times());
  if (const auto speed = images_per_s(run)) out.add(images_per_second, labels, *speed);
  if (const auto share = accuracy(run)) out.add(accuracy_ratio, labels, *share);
  add_findings(out, id, watched);
  add_ranks(out, id, watched);
}

}  // namespace

std::string prometheus_text(const RunRegistry& registry) {
  Samples out;
  registry.visit_open([&](const std::string& id, const WatchedRun& watched) { add_run(out, id, watched); });
  return out.text();
}

}  // namespace adarun::monitor::web
