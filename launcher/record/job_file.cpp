// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/job_file.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "base/parse_json.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t most_job_bytes = 1U << 30U;  // More than that of any job.

// A time by the node's clock, and by ours if the clocks were compared.
ordered_json moment_of(std::int64_t node_ns, const std::optional<Moment>& here) {
  ordered_json json{{"node_ns", node_ns}};
  if (here) json.update({{"launcher_ns", here->ns}, {"bound_ns", here->bound_ns}});
  return json;
}

const char* out_of_memory_name(protocol::OutOfMemory out_of_memory) {
  switch (out_of_memory) {
    case protocol::OutOfMemory::no:
      return "no";
    case protocol::OutOfMemory::likely:
      return "likely";
    case protocol::OutOfMemory::yes:
      return "yes";
    case protocol::OutOfMemory::unknown:
      break;
  }
  return "unknown";
}

void add_end(ordered_json& json, const RankRecord& record) {
  json["end"] = describe_end(record);
  if (const char* name = sigabbrev_np(record.signal); record.signal != 0 && name != nullptr)
    json["signal_name"] = "SIG" + std::string(name);
  if (record.core_dumped) json["core"] = record.core;
  if (record.signal == SIGKILL) json["out_of_memory"] = out_of_memory_name(record.out_of_memory);
  if (record.abort && record.abort->call == protocol::EndingCall::abort)
    json["mpi_abort"] = record.abort->status;
  json["started"] = {{"node_ns", record.started_ns}};
  json["ended"] = moment_of(record.ended_ns, record.ended);
}

ordered_json ranks_of(const Plan& plan, const JobReport& report) {
  ordered_json ranks = ordered_json::array();
  for (std::uint32_t rank = 0; rank < report.ranks.size(); ++rank) {
    const RankRecord& record = report.ranks[rank];
    ordered_json& json = ranks.emplace_back();
    json = {{"rank", rank},
            {"node", plan.nodes[plan.node_of_rank[rank]].host.name},
            {"device_id", plan.device_of_rank[rank]}};
    if (const Role* role = plan.role_of(rank)) json["role"] = role->name;
    json.update({{"state", name_of(record.state)},
                 {"pid", record.pid},
                 {"code", record.code},
                 {"signal", record.signal}});
    if (record.ended_ns != 0) add_end(json, record);
  }
  return ranks;
}

// What stopped the job, and which ranks failed at the same time and later.
ordered_json first_failure(const Plan& plan, const JobReport& report,
                           const std::vector<std::string>& last_lines) {
  const Failure& first = report.failures.front();
  ordered_json json{{"kind", name_of(first.kind)}, {"message", first.message}};
  if (first.node) json["node"] = plan.nodes[*first.node].host.name;
  if (first.rank) json.update({{"rank", *first.rank}, {"last_lines", last_lines}});
  json.update({{"about_the_same_time", report.beside}, {"followed", report.followers}});
  return json;
}

ordered_json roles_of(const Plan& plan) {
  ordered_json roles = ordered_json::array();
  for (const Role& role : plan.options.roles) roles.push_back({{"name", role.name}, {"argv", role.argv}});
  return roles;
}

ordered_json json_of(const Host& host) {
  return {{"host", host.name}, {"user", host.user}, {"port", host.port}};
}

ordered_json nodes_of(const Plan& plan) {
  ordered_json nodes = ordered_json::array();
  for (const NodePlan& node : plan.nodes) nodes.push_back(json_of(node.host));
  return nodes;
}

ordered_json replaced_nodes_of(const Plan& plan) {
  ordered_json nodes = ordered_json::array();
  for (const ReplacedNode& node : plan.replaced) {
    ordered_json& json = nodes.emplace_back(json_of(node.host));
    json.update({{"number", node.number}, {"ranks", node.ranks}});
  }
  return nodes;
}

ordered_json json_of(const std::vector<EarlierAttempt>& earlier) {
  ordered_json attempts = ordered_json::array();
  for (const EarlierAttempt& attempt : earlier)
    attempts.push_back({{"id", attempt.job_id},
                        {"began_ns", attempt.began_ns},
                        {"duration_ms", attempt.duration.count()},
                        {"nodes", attempt.nodes},
                        {"world_size", attempt.world_size},
                        {"status", attempt.status},
                        {"failure", attempt.failure},
                        {"change", attempt.change}});
  return attempts;
}

ordered_json json_of(const SupervisorProcess& supervisor) {
  return {{"host", supervisor.host},
          {"pid", supervisor.pid},
          {"ticks", supervisor.ticks},
          {"folder", supervisor.folder},
          {"detached", supervisor.detached ? 1 : 0}};
}

ordered_json job_json_in(const std::filesystem::path& folder) {
  return base::parse_json<ordered_json>(job_text_in(folder).value_or(""));
}

std::string text_of(const ordered_json& json, bool on_one_line) {
  return base::escape_controls(
             json.dump(on_one_line ? -1 : 2, ' ', false, ordered_json::error_handler_t::replace)) +
         "\n";
}

}  // namespace

std::string job_file(const Plan& plan, const JobReport& report, const JobFileState& state) {
  ordered_json json{{"id", plan.job_id}};
  if (!plan.options.name.empty()) json["name"] = plan.options.name;
  json.update({{"state", state.state},
               {"world_size", plan.world_size()},
               {"log_dir", state.log_dir},
               {"pid", getpid()},
               {"argv", plan.job_spec.argv}});
  if (!plan.options.roles.empty()) json["roles"] = roles_of(plan);
  json.update({{"supervisor", json_of(state.supervisor)}, {"began_ns", state.began_ns}});
  if (state.ended) {
    json["status"] = report.exit_status();
    json["duration_ms"] = report.duration.count();
    json["failures"] = ordered_json::array();
    for (const Failure& failure : report.failures) json["failures"].push_back(failure.message);
    if (!report.failures.empty()) json["first_failure"] = first_failure(plan, report, state.last_lines);
  }
  if (!plan.earlier.empty()) json["earlier_attempts"] = json_of(plan.earlier);
  json["nodes"] = nodes_of(plan);
  if (!plan.replaced.empty()) json["replaced_nodes"] = replaced_nodes_of(plan);
  json["ranks"] = ranks_of(plan, report);
  return text_of(json, state.on_one_line);
}

void add_job_end(const std::filesystem::path& folder, const std::string& job_id, const Failure& failure) {
  ordered_json json = job_json_in(folder);
  if (!json.is_object() || json.value("id", ordered_json()) != job_id) return;
  json["job_end"] = {{"state", failure.kind == Failure::Kind::interrupted ? "interrupted" : "failed"},
                     {"status", failure.exit_status()},
                     {"failure", failure.message}};
  set_file(open_output_folder(folder), "job.json", text_of(json, false));
}

std::string earlier_attempts_json(const std::vector<EarlierAttempt>& attempts) {
  return json_of(attempts).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::optional<std::string> job_text_in(const std::filesystem::path& folder) {
  return read_regular_file(folder / "job.json", most_job_bytes);
}

// Others may have written the file.
bool is_plain_id(std::string_view id) {
  constexpr std::size_t most_bytes = 64;
  return !id.empty() && id.size() <= most_bytes && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
  });
}

std::string job_id_in(const std::filesystem::path& folder) {
  const ordered_json json = job_json_in(folder);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_string()) return "";
  const auto& id = json["id"].get_ref<const std::string&>();
  return is_plain_id(id) ? id : "";
}

SupervisorProcess supervisor_in(const std::filesystem::path& folder) {
  const ordered_json json = job_json_in(folder);
  if (!json.is_object() || !json.contains("supervisor") || !json["supervisor"].is_object()) return {};
  const ordered_json& supervisor = json["supervisor"];
  const auto text = [&supervisor](const char* name) {
    return supervisor.contains(name) && supervisor[name].is_string() ? supervisor[name].get<std::string>()
                                                                     : "";
  };
  return {text("host"), 0, 0, text("folder"), false};
}

bool any_rank_started_in(const std::filesystem::path& folder) {
  const ordered_json json = job_json_in(folder);
  if (!json.is_object() || !json.contains("ranks") || !json["ranks"].is_array()) return true;
  return std::any_of(json["ranks"].begin(), json["ranks"].end(), [](const ordered_json& rank) {
    return !rank.is_object() || rank.value("state", ordered_json()) != "waiting";
  });
}

RankStates::RankStates(const Plan& plan)
    : plan_(plan), records_(plan.world_size()), waiting_(plan.world_size()) {}

void RankStates::start(const protocol::Started& started) {
  const bool is_first = records_[started.rank].state == RankState::waiting;
  if (is_first && --waiting_ == 0) urgent_ = true;
  records_[started.rank] = record_of(started);
  changed_ = true;
}

void RankStates::end(std::uint32_t rank, const RankRecord& record) {
  records_[rank] = record;
  changed_ = true;
}

void RankStates::lose(std::uint32_t node) {
  for (const protocol::RankSpec& part : plan_.nodes[node].start.ranks) {
    RankRecord& record = records_[part.rank];
    if (record.state == RankState::running) record.state = RankState::lost;
  }
  changed_ = true;
}

void RankStates::fail() {
  urgent_ = urgent_ || !failed_;
  failed_ = true;
}

void RankStates::wrote(Clock::time_point begun, Clock::time_point ended) {
  changed_ = urgent_ = false;
  next_ = ended + std::max<Clock::duration>(least_pause, pauses_per_write * (ended - begun));
}

}  // namespace adarun::launcher
