// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/k8s_kind.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <regex>
#include <utility>

#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/roles.h"
#include "cli/commands/script/script_kinds.h"
#include "cli/commands/script/script_notes.h"
#include "launcher/hosts/host_words.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

// Kubernetes adds "-" and five letters to the name of a pod, all in a label of at most 63 characters.
constexpr std::size_t most_name_bytes = 63 - 6;

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

// A label of RFC 1123, which ends in no '-'.
bool is_label_part(const std::string& name) {
  static const std::regex form("[a-z0-9]([a-z0-9-]*[a-z0-9])?");
  return std::regex_match(name, form);
}

// A Service's name, and so that of all, is a label of RFC 1035.
void require_name(const ScriptJob& job) {
  if (!is_letter(job.name.front()))
    throw ExitError(exit_usage, "--name: \"" + job.name + "\": Kubernetes wants a letter first");
}

std::vector<launcher::Role> by_first_rank(std::vector<launcher::Role> roles) {
  std::ranges::sort(roles, {}, [](const launcher::Role& role) { return role.ranks.front(); });
  return roles;
}

// How many pods a role has, of which the first rank is `first`.
std::size_t pods_of(const launcher::Role& role, std::size_t first, std::size_t ranks_of_pod) {
  const bool in_a_row =
      role.ranks.front() == first && role.ranks.back() - role.ranks.front() + 1 == role.ranks.size();
  if (!in_a_row || role.ranks.size() % ranks_of_pod != 0)
    throw ExitError(exit_usage, "--role " + role.name +
                                    ": in a JobSet a role has pods of its own: wanted all of " +
                                    std::to_string(ranks_of_pod) + " ranks of each, one after another");
  if (!is_label_part(role.name))
    throw ExitError(exit_usage, "--role " + role.name +
                                    ": in a JobSet a name has lower-case letters, digits and - between them");
  return role.ranks.size() / ranks_of_pod;
}

std::vector<PodGroup> groups_of_roles(const ScriptJob& job) {
  const auto ranks_of_pod = static_cast<std::size_t>(job.tasks_per_node);
  std::vector<PodGroup> groups;
  std::size_t node = 0;
  for (const launcher::Role& role : by_first_rank(job.roles)) {
    groups.push_back({role.name, pods_of(role, node * ranks_of_pod, ranks_of_pod), node, ""});
    node += groups.back().pods;
  }
  return groups;
}

using Image = std::pair<std::string, std::string>;  // The role, empty for all, and the name.

Image image_in(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void give_image(std::vector<PodGroup>& groups, const Image& image) {
  const auto& [role, name] = image;
  const auto group = std::ranges::find(groups, role, &PodGroup::name);
  if (group == groups.end())
    throw ExitError(exit_usage, "--image " + role + "=" + name + ": there are no pods of a role " + role +
                                    " (--jobset gives each role its own)");
  group->image = name;
}

void give_images(std::vector<PodGroup>& groups, const std::vector<std::string>& texts) {
  std::string for_all;
  for (const std::string& text : texts)
    if (const auto [role, name] = image_in(text); role.empty()) {
      if (!for_all.empty()) throw ExitError(exit_usage, "--image " + name + ": a second image for all pods");
      for_all = name;
    }
  for (PodGroup& group : groups) group.image = for_all;
  for (const std::string& text : texts)
    if (const Image image = image_in(text); !image.first.empty()) give_image(groups, image);
  for (const PodGroup& group : groups)
    if (group.image.empty())
      throw ExitError(exit_usage, "script k8s: --image is required" +
                                      (groups.size() > 1 ? ", here for role " + group.name : std::string()));
}

std::string jobset_prefix(const ScriptJob& job, const PodGroup& group) {
  return job.jobset ? job.name + "-" + group.name + "-0-" : job.name + "-";
}

using templates::Values;

// Kubernetes allows 1 MiB including names; kubectl apply less, as it keeps a copy in an annotation.
constexpr std::size_t max_config_map_bytes = 1'000'000;

void require_config_map_holds(std::size_t bytes) {
  if (bytes > max_config_map_bytes)
    throw ExitError(exit_no,
                    "script k8s: rank table and scripts have " + std::to_string(bytes) +
                        " bytes, and a ConfigMap holds 1 MB; adarun script node writes them as files");
}

std::string run_node_script(const Values& values) {
  const templates::Template page("run_node.sh", templates::built_in("run_node.sh"));
  return page.render(values, script_filters());
}

// A list of one member or none: what each pod is given. `cards`: how many of Ascend's, 0: none.
std::vector<Values> resources_of(const ScriptJob& job, std::size_t cards) {
  std::vector<Values> limits;
  if (cards > 0)
    limits.push_back({{{"resource", "huawei.com/Ascend910"}, {"count", std::to_string(cards)}}, {}});
  for (const std::string& text : job.resources) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    std::erase_if(limits, [&](const Values& limit) { return limit.texts.at("resource") == name; });
    limits.push_back({{{"resource", name}, {"count", text.substr(equals + 1)}}, {}});
  }
  if (limits.empty()) return {};
  return {{{}, {{"limits", limits}}}};
}

// A resource of a device plugin: the plugin chooses which of a node's devices a pod has.
bool has_plugin(const std::vector<Values>& resources) {
  return std::ranges::any_of(resources, [](const Values& each) {
    return std::ranges::any_of(each.lists.at("limits"), [](const Values& limit) {
      return limit.texts.at("resource").find('/') != std::string::npos;
    });
  });
}

// The script of a pod says which node it is by its environment. All pods have the same.
std::string script_of_pods(Values values, const ScriptJob& job) {
  std::vector<Values> ranks;
  for (const Values& node : values.lists.at("nodes"))
    for (const Values& rank : node.lists.at("ranks")) ranks.push_back(rank);
  values = values_of_node(values, values.lists.at("nodes").front());
  values.lists["ranks"] = ranks;
  values.texts["number"] = "";
  values.texts["place"] = "one of " + values.texts.at("node_count") + " pods, which SERVER_ID numbers from 0";
  values.texts["rank_start"] = "$((SERVER_ID * " + std::to_string(job.tasks_per_node) + "))";
  std::erase_if(values.lists.at("variables"), [](const Values& variable) {
    const std::string& name = variable.texts.at("name");
    return name == "SERVER_ID" || name == "GROUP_RANK";
  });
  return run_node_script(values);
}

void complete_pods(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  const std::string table = table_text_of(placement);
  const std::string script = script_of_pods(values, job);
  require_config_map_holds(table.size() + script.size());
  values.texts["table"] = table;
  values.texts["run_node"] = script;
  values.lists["resources"] = resources_of(job, 0);
  std::vector<Values>& groups = values.lists["groups"];
  for (const PodGroup& group : pod_groups(job))
    groups.push_back({{{"group", group.name},
                       {"pods", std::to_string(group.pods)},
                       {"first_node", std::to_string(group.first_node)},
                       {"image", group.image}},
                      {}});
}

void require_one_image(const ScriptJob& job) {
  if (job.images.empty()) throw ExitError(exit_usage, "script k8s: --image is required");
  for (const std::string& image : job.images)
    if (image.find('=') != std::string::npos || job.images.size() > 1)
      throw ExitError(exit_usage, "--image " + job.images.back() + ": one image for all, but with --jobset");
}

void complete_nodes(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  const std::string table = table_text_of(placement);
  std::size_t bytes = table.size();
  values.texts["table"] = table;
  for (Values& node : values.lists.at("nodes")) {
    const std::string& number = node.texts.at("number");
    const std::string script = run_node_script(values_of_node(values, node));
    bytes += script.size();
    node.texts["run_node"] = script;
    node.texts["job"] = job.name + "-" + number;
    node.texts["start"] =
        "mkdir -p /adarun/work && cd /adarun/work && cp /adarun/job/rank_table.json /adarun/job/run_node" +
        number + ".sh . && exec bash run_node" + number + ".sh --show-output";
    node.lists["resources"] =
        resources_of(job, is_plain(placement.table) ? 0 : std::stoul(node.texts.at("device_count")));
  }
  const ScriptNotes notes("script k8s", placement);
  notes.tell_addresses("the label kubernetes.io/hostname is a node's name");
  if (has_plugin(values.lists.at("nodes").front().lists.at("resources")))
    notes.tell_devices(
        "DEVICE_ID names them, but the device plugin chooses, and a pod may number its own from 0");
  require_config_map_holds(bytes);
}

}  // namespace

std::vector<PodGroup> pod_groups(const ScriptJob& job) {
  require_name(job);
  const auto all = static_cast<std::size_t>(job.node_count);
  or_exit(exit_usage, [&] {
    launcher::require_roles_fit(job.roles, all * static_cast<std::size_t>(job.tasks_per_node));
  });
  std::vector<PodGroup> groups{{"ranks", all, 0, ""}};
  if (job.jobset && !job.roles.empty()) groups = groups_of_roles(job);
  give_images(groups, job.images);
  for (const PodGroup& group : groups) {
    const std::string longest = jobset_prefix(job, group) + std::to_string(group.pods - 1);
    if (longest.size() > most_name_bytes)
      throw ExitError(exit_usage, "--name: a pod's name would be " + longest + ": wanted at most " +
                                      std::to_string(most_name_bytes) + " characters");
  }
  return groups;
}

std::string hosts_of_pods(const ScriptJob& job) {
  std::string list;
  for (const PodGroup& group : pod_groups(job))
    list += (list.empty() ? "" : ",") + jobset_prefix(job, group) + "[0-" + std::to_string(group.pods - 1) +
            "]." + job.name + ":" + launcher::written_count(static_cast<std::size_t>(job.tasks_per_node));
  return list;
}

std::string check_image(const std::string& text) {
  static const std::regex form("([A-Za-z][A-Za-z0-9_-]*=)?[A-Za-z0-9][A-Za-z0-9._:/@-]{0,1023}");
  return std::regex_match(text, form)
             ? std::string()
             : ranktable::in_quotes(text) + ": wanted an image such as registry/train:1";
}

std::string check_resource(const std::string& text) {
  static const std::regex form(
      "(cpu|memory|ephemeral-storage|hugepages-[0-9]{1,9}[KMGTPE]i)"
      "=[0-9]{1,18}(\\.[0-9]{1,9})?(m|k|[KMGTPE]i|[MGTPE])?|"
      "[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?=[0-9]{1,18}");
  return std::regex_match(text, form)
             ? std::string()
             : ranktable::in_quotes(text) + ": wanted NAME=COUNT such as nvidia.com/gpu=8 or memory=64Gi";
}

void add_k8s(CLI::App& command, ScriptJob& job) {
  add_site_nodes(command, job, "So many pods, on nodes that Kubernetes chooses",
                 "Ranks in each of them (default: 1)");
  command.add_flag("--jobset", job.jobset, "A JobSet, in which each role has pods of its own");
  command.get_option("--jobset")->needs("--nodes");
  add_texts(command, "--image", job.images, "IMAGE",
            "Of the containers; in a JobSet also of a role's, as ROLE=IMAGE")
      ->check(check_image);
  add_texts(command, "--resource", job.resources, "NAME=COUNT",
            "What each pod is given, such as nvidia.com/gpu=8; repeatable")
      ->check(check_resource);
  add_text(command, "--name", job.name, "NAME", "Of the Jobs (default: adarun)");
}

const char* template_of_k8s(const ScriptJob& job) {
  if (job.jobset) return "jobset.yaml";
  return job.node_count > 0 ? "indexed_job.yaml" : "job.yaml";
}

std::string hosts_of_k8s(const ScriptJob& job) {
  return job.node_count > 0 ? hosts_of_pods(job) : "";
}

void complete_k8s(Values& values, const launcher::Placement& placement, const ScriptJob& job) {
  if (job.node_count > 0) return complete_pods(values, placement, job);
  require_one_image(job);
  complete_nodes(values, placement, job);
}

}  // namespace adarun::cli
