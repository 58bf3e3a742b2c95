// SPDX-License-Identifier: Apache-2.0
#include "cli/view/show_plan.h"

#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/shell_word.h"
#include "base/system_text.h"
#include "cli/arguments/process_limit_options.h"
#include "cli/console/print.h"
#include "launcher/protocol/process_limits.h"
#include "launcher/protocol/start.h"
#include "launcher/transport/reach/agent_source.h"

namespace adarun::cli {
namespace {

using base::readable_word;

std::string name_in(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

std::string value_in(const std::string& variable) {
  return variable.substr(variable.find('=') + 1);
}

// prlimit of util-linux uses the same names.
std::string limits_of(const launcher::protocol::ProcessLimits& process_limits) {
  std::string text;
  for (const launcher::protocol::Limit& limit : process_limits.limits)
    text += " --" + launcher::protocol::name_of_limit(limit.resource) + "=" + limit_text(limit.soft) + ":" +
            limit_text(limit.hard);
  return text.empty() ? "" : "prlimit" + text + " ";
}

std::string command_of(const launcher::protocol::RankSpec& rank,
                       const launcher::protocol::ProcessLimits& process_limits) {
  std::string line = "(";
  if (!rank.workdir.empty()) line += "cd " + readable_word(rank.workdir) + " && ";
  for (const std::uint8_t number : process_limits.ignored)
    line += "trap '' " + base::signal_name(number) + " && ";
  if (process_limits.umask >= 0) line += "umask " + umask_text(process_limits.umask) + " && ";
  line += "exec " + limits_of(process_limits) + "env";
  // Values in the node's own environment take precedence.
  for (const std::string& variable : rank.defaults)
    line += " " + name_in(variable) + "=\"${" + name_in(variable) + "-" + value_in(variable) + "}\"";
  for (const std::string& variable : rank.environment)
    line += " " + name_in(variable) + "=" + readable_word(value_in(variable));
  for (const std::string& argument : rank.argv) line += " " + readable_word(argument);
  return line + ")\n";
}

// Keeps a comment on one line, whatever characters a name contains.
std::string comment(const std::string& text) {
  return "# " + base::clean_line(text, std::string::npos) + "\n";
}

std::string rank_and_device(const launcher::Plan& plan, std::uint32_t rank) {
  const launcher::Role* role = plan.role_of(rank);
  return "rank " + std::to_string(rank) + ", device " + std::to_string(plan.device_of_rank[rank]) +
         (role == nullptr ? "" : ", role " + role->name);
}

std::string timeouts_of(const LaunchOptions& options) {
  using base::describe;
  std::string text = "ranks are ended by TERM, KILL after " + describe(options.grace) +
                     "; a side that hears nothing of the other for " + describe(options.lease) +
                     " gives it up";
  if (options.timeout) text += "; the job may take " + describe(*options.timeout);
  if (options.hang_timeout)
    text += "; it hangs when all ranks are silent for " + describe(*options.hang_timeout);
  if (!options.spares.spares.empty()) text += "; spares for nodes that are lost: " + options.spares.spares;
  if (options.spares.min_nodes)
    text += "; it needs " + std::to_string(*options.spares.min_nodes) + " of its nodes";
  if (options.min_ranks)
    text += "; without ranks that end it continues while " + std::to_string(*options.min_ranks) + " are left";
  if (options.rank_restarts > 0)
    text += ", and starts ranks again, at most " + std::to_string(options.rank_restarts) + " times in all";
  if (options.spares_join() && options.table_file.empty()) text += "; spares join it when nodes are lost";
  const launcher::Restarts& restarts = options.restarts;
  if (restarts.most == 0) return text;
  text += "; after a failure it is run again, at most " + std::to_string(restarts.most) + " times, first " +
          (restarts.delay.count() == 0 ? "at once" : "after " + describe(restarts.delay));
  for (const int status : restarts.never_on) text += ", not after status " + std::to_string(status);
  return text;
}

// Empty for a role without one.
std::string policy_of(const launcher::Role& role) {
  std::string text;
  if (role.policy.background) text += ", is ended once the others have ended";
  if (role.policy.restarts > 0)
    text += ", is started again, at most " + std::to_string(role.policy.restarts) + " times in all";
  if (role.policy.optional) text += ", may fail";
  return text.empty() ? "" : comment("role " + role.name + text);
}

// A comment, since a shell line cannot express binding.
std::string binding_of(const launcher::protocol::ProcessLimits& process_limits) {
  if (process_limits.bind == launcher::protocol::Bind::none) return "";
  return comment(std::string("each agent binds its ranks to CPUs of its node (--bind ") +
                 name_of(process_limits.bind) + "), evenly; taskset does by hand");
}

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

std::string plan_text(const launcher::Plan& plan, const std::vector<launcher::HostPlace>& places,
                      const LaunchOptions& options) {
  std::string text = comment(plan.title() + ": " + base::counted(plan.world_size(), "rank") + " on " +
                             base::counted(plan.nodes.size(), "node"));
  text += comment("logs go to " + options.log_folder.string() + "/");
  for (const launcher::Role& role : plan.options.roles) text += policy_of(role);
  text += comment(timeouts_of(options)) + binding_of(options.process_limits);
  for (const launcher::StageSource& each : plan.stage)
    text += comment("every node is to have " + each.file + " as " + each.item.path);
  const std::string agent = launcher::agent_path(options.agent);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    text += "\n" + comment(node.host.name + ": " + options.reach->text_of(node.host, places[i], options) +
                           "; agent " + agent);
    const launcher::protocol::Start start = launcher::protocol::complete(node.start, plan.job_spec);
    for (const launcher::protocol::ScratchFile& file : start.files)
      text += comment("the agent writes " + start.scratch + "/" + file.name);
    for (const launcher::protocol::RankSpec& rank : start.ranks)
      text += comment(rank_and_device(plan, rank.rank)) + command_of(rank, options.process_limits);
  }
  return text;
}

std::string plan_json(const launcher::Plan& plan, const std::vector<launcher::HostPlace>& places,
                      const LaunchOptions& options) {
  ordered_json json{{"job_id", plan.job_id},
                    {"world_size", plan.world_size()},
                    {"log_dir", options.log_folder.string()},
                    {"mpi", mpi_text(options.mpi)},
                    {"care", json_of(options.process_limits)},
                    {"course", timeouts_json(options)},
                    {"rank_table", plan.rank_table()},
                    {"stage", ordered_json::array()},
                    {"nodes", ordered_json::array()}};
  for (const launcher::Role& role : plan.options.roles) json["roles"].push_back(json_of(role));
  for (const launcher::StageSource& each : plan.stage)
    json["stage"].push_back({{"file", each.file}, {"path", each.item.path}});
  const std::string agent = launcher::agent_path(options.agent);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    const launcher::HostPlace& place = places[i];
    ordered_json item{{"node", i}, {"host", node.host.name}};
    item["address"] = place.address.empty() ? ordered_json() : ordered_json(place.address);
    if (!place.reason.empty()) item["reason"] = place.reason;
    if (place.port != 0) item.update({{"user", place.user}, {"port", place.port}, {"jumps", place.jumps}});
    item["agent"] = agent;
    item["rank_table_file"] = node.start.scratch + "/rank_table.json";
    item["ranks"] = ordered_json::array();
    for (const launcher::protocol::RankSpec& part : node.start.ranks)
      item["ranks"].push_back(json_of(launcher::protocol::complete(part, plan.job_spec), plan));
    json["nodes"].push_back(std::move(item));
  }
  return json_text(json);
}

}  // namespace adarun::cli
