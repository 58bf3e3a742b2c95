// SPDX-License-Identifier: Apache-2.0
#include "cli/show_plan.h"

#include <nlohmann/json.hpp>

#include "cli/counted.h"
#include "launcher/shell_word.h"
#include "launcher/wire/complete.h"

namespace adarun::cli {
namespace {

using launcher::readable_word;
using nlohmann::ordered_json;

std::string name_in(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

std::string value_in(const std::string& variable) {
  return variable.substr(variable.find('=') + 1);
}

std::string command_of(const wire::RankPart& rank) {
  std::string line = "(";
  if (!rank.workdir.empty()) line += "cd " + readable_word(rank.workdir) + " && ";
  line += "exec env";
  // What the node's own environment has comes first.
  for (const std::string& variable : rank.defaults)
    line += " " + name_in(variable) + "=\"${" + name_in(variable) + "-" + value_in(variable) + "}\"";
  for (const std::string& variable : rank.environment)
    line += " " + name_in(variable) + "=" + readable_word(value_in(variable));
  for (const std::string& argument : rank.argv) line += " " + readable_word(argument);
  return line + ")\n";
}

std::string way_to(const launcher::SshPlace& place, const std::string& agent) {
  if (place.port == 0) return "on this machine; agent " + agent;
  std::string jumps;
  for (const std::string& jump : place.jumps) jumps += (jumps.empty() ? "-J " : ",") + jump;
  return "ssh " + jumps + (jumps.empty() ? "" : " ") + "-p " + std::to_string(place.port) + " " + place.user +
         "@" + (place.address.empty() ? "? (" + place.reason + ")" : place.address) + "; agent " + agent;
}

// Comments stay within their line, whatever is in a name.
std::string comment(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return "# " + text + "\n";
}

ordered_json json_of(const std::vector<std::string>& variables) {
  ordered_json json = ordered_json::object();
  for (const std::string& variable : variables) json[name_in(variable)] = value_in(variable);
  return json;
}

ordered_json json_of(const wire::RankPart& rank, int device) {
  return {{"rank", rank.rank},
          {"local_rank", rank.local_rank},
          {"device_id", device},
          {"workdir", rank.workdir},
          {"argv", rank.argv},
          {"environment", json_of(rank.environment)},
          {"defaults", json_of(rank.defaults)}};
}

}  // namespace

std::string plan_text(const PlannedLaunch& planned) {
  const launcher::Plan& plan = planned.plan;
  std::string text = comment("job " + plan.job_id + ": " + counted(plan.world_size(), "rank") + " on " +
                             counted(plan.nodes.size(), "node"));
  for (const launcher::StageSource& each : plan.stage)
    text += comment("every node is to have " + each.file + " as " + each.item.path);
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    text += "\n" + comment(node.host.name + ": " + way_to(planned.places[i], planned.agent));
    const wire::Start start = wire::complete(node.start, plan.common);
    for (const wire::StagedFile& file : start.files)
      text += comment("the agent writes " + start.scratch + "/" + file.name);
    for (const wire::RankPart& rank : start.ranks)
      text += comment("rank " + std::to_string(rank.rank) + ", device " +
                      std::to_string(plan.device_of_rank[rank.rank])) +
              command_of(rank);
  }
  return text;
}

std::string plan_json(const PlannedLaunch& planned) {
  const launcher::Plan& plan = planned.plan;
  ordered_json json{{"job_id", plan.job_id},
                    {"world_size", plan.world_size()},
                    {"rank_table", plan.rank_table()},
                     {"stage", ordered_json::array()},
                    {"nodes", ordered_json::array()}};
  for (const launcher::StageSource& each : plan.stage)
    json["stage"].push_back({{"file", each.file}, {"path", each.item.path}});
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const launcher::NodePlan& node = plan.nodes[i];
    const launcher::SshPlace& place = planned.places[i];
    ordered_json item{{"node", i}, {"host", node.host.name}};
    item["address"] = place.address.empty() ? ordered_json() : ordered_json(place.address);
    if (!place.reason.empty()) item["reason"] = place.reason;
    if (place.port != 0) item.update({{"user", place.user}, {"port", place.port}, {"jumps", place.jumps}});
    item["agent"] = planned.agent;
    item["rank_table_file"] = node.start.scratch + "/rank_table.json";
    item["ranks"] = ordered_json::array();
    for (const wire::RankPart& part : node.start.ranks)
      item["ranks"].push_back(json_of(wire::complete(part, plan.common), plan.device_of_rank[part.rank]));
    json["nodes"].push_back(std::move(item));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace adarun::cli
