// SPDX-License-Identifier: Apache-2.0
#include "cli/view/show_plan.h"

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/shell_word.h"
#include "base/system_text.h"
#include "cli/arguments/process_limit_options.h"
#include "launcher/protocol/process_limits.h"
#include "launcher/protocol/start.h"

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
    text += "; without ranks that end it goes on while " + std::to_string(*options.min_ranks) + " are left";
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

}  // namespace

std::string plan_text(const PlannedLaunch& planned) {
  const launcher::Plan& plan = planned.plan;
  std::string text = comment("job " + plan.job_id + ": " + base::counted(plan.world_size(), "rank") + " on " +
                             base::counted(plan.nodes.size(), "node"));
  text += comment("logs go to " + planned.log_dir + "/");
  for (const launcher::Role& role : plan.options.roles) text += policy_of(role);
  text += comment(timeouts_of(planned.options)) + binding_of(planned.options.process_limits);
  for (const launcher::StageSource& each : plan.stage)
    text += comment("every node is to have " + each.file + " as " + each.item.path);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    const LaunchOptions& options = planned.options;
    text +=
        "\n" + comment(node.host.name + ": " + options.reach->text_of(node.host, planned.places[i], options) +
                       "; agent " + planned.agent);
    const launcher::protocol::Start start = launcher::protocol::complete(node.start, plan.job_spec);
    for (const launcher::protocol::ScratchFile& file : start.files)
      text += comment("the agent writes " + start.scratch + "/" + file.name);
    for (const launcher::protocol::RankSpec& rank : start.ranks)
      text += comment(rank_and_device(plan, rank.rank)) + command_of(rank, planned.options.process_limits);
  }
  return text;
}

}  // namespace adarun::cli
