// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "base/system_text.h"
#include "cli/arguments/process_limit_options.h"
#include "cli/view/show_plan.h"
#include "launcher/protocol/process_limits.h"
#include "launcher/protocol/start.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;

ordered_json json_of(const std::vector<std::string>& variables) {
  ordered_json json = ordered_json::object();
  for (const std::string& variable : variables) {
    const std::size_t end = variable.find('=');
    json[variable.substr(0, end)] = variable.substr(end + 1);
  }
  return json;
}

ordered_json json_of(const launcher::protocol::RankSpec& rank, const launcher::Plan& plan) {
  ordered_json json{
      {"rank", rank.rank}, {"local_rank", rank.local_rank}, {"device_id", plan.device_of_rank[rank.rank]}};
  if (const launcher::Role* role = plan.role_of(rank.rank)) json["role"] = role->name;
  json.update({{"workdir", rank.workdir},
               {"argv", rank.argv},
               {"environment", json_of(rank.environment)},
               {"defaults", json_of(rank.defaults)}});
  return json;
}

const char* mpi_text(launcher::protocol::Mpi mpi) {
  return mpi == launcher::protocol::Mpi::on ? "on" : mpi == launcher::protocol::Mpi::off ? "off" : "auto";
}

ordered_json json_of(const launcher::protocol::ProcessLimits& process_limits) {
  ordered_json limits = ordered_json::object();
  for (const launcher::protocol::Limit& limit : process_limits.limits)
    limits[launcher::protocol::name_of_limit(limit.resource)] = {{"soft", limit_text(limit.soft)},
                                                                 {"hard", limit_text(limit.hard)}};
  ordered_json ignored = ordered_json::array();
  for (const std::uint8_t number : process_limits.ignored) ignored.push_back(base::signal_name(number));
  return {
      {"bind", name_of(process_limits.bind)},
      {"stdout", name_of(process_limits.out)},
      {"umask", process_limits.umask < 0 ? ordered_json() : ordered_json(umask_text(process_limits.umask))},
      {"limits", std::move(limits)},
      {"ignored_signals", std::move(ignored)}};
}

ordered_json json_of(const std::optional<milliseconds>& time) {
  return time ? ordered_json(time->count()) : ordered_json();
}

ordered_json json_of(const launcher::Role& role) {
  return {{"name", role.name},
          {"ranks", role.ranks},
          {"background", role.policy.background},
          {"optional", role.policy.optional},
          {"restarts", role.policy.restarts}};
}

// Timeouts, and what to do after a failure.
ordered_json timeouts_json(const LaunchOptions& options) {
  return {{"timeout_ms", json_of(options.timeout)},
          {"hang_timeout_ms", json_of(options.hang_timeout)},
          {"connect_timeout_ms", options.connect_timeout.count()},
          {"lease_ms", options.lease.count()},
          {"grace_ms", options.grace.count()},
          {"restarts", options.restarts.most},
          {"restart_delay_ms", options.restarts.delay.count()},
          {"no_restart_on", options.restarts.never_on},
          {"spares", options.spares.spares},
          {"min_nodes", options.spares.min_nodes ? ordered_json(*options.spares.min_nodes) : ordered_json()},
          {"min_ranks", options.min_ranks ? ordered_json(*options.min_ranks) : ordered_json()},
          {"rank_restarts", options.rank_restarts}};
}

}  // namespace

std::string plan_json(const PlannedLaunch& planned) {
  const launcher::Plan& plan = planned.plan;
  ordered_json json{{"job_id", plan.job_id},
                    {"world_size", plan.world_size()},
                    {"log_dir", planned.log_dir},
                    {"mpi", mpi_text(planned.options.mpi)},
                    {"care", json_of(planned.options.process_limits)},
                    {"course", timeouts_json(planned.options)},
                    {"rank_table", plan.rank_table()},
                    {"stage", ordered_json::array()},
                    {"nodes", ordered_json::array()}};
  for (const launcher::Role& role : plan.options.roles) json["roles"].push_back(json_of(role));
  for (const launcher::StageSource& each : plan.stage)
    json["stage"].push_back({{"file", each.file}, {"path", each.item.path}});
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    const launcher::HostPlace& place = planned.places[i];
    ordered_json item{{"node", i}, {"host", node.host.name}};
    item["address"] = place.address.empty() ? ordered_json() : ordered_json(place.address);
    if (!place.reason.empty()) item["reason"] = place.reason;
    if (place.port != 0) item.update({{"user", place.user}, {"port", place.port}, {"jumps", place.jumps}});
    item["agent"] = planned.agent;
    item["rank_table_file"] = node.start.scratch + "/rank_table.json";
    item["ranks"] = ordered_json::array();
    for (const launcher::protocol::RankSpec& part : node.start.ranks)
      item["ranks"].push_back(json_of(launcher::protocol::complete(part, plan.job_spec), plan));
    json["nodes"].push_back(std::move(item));
  }
  return base::escape_controls(json.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace adarun::cli
