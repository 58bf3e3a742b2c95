// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/pod_groups.h"

#include <algorithm>
#include <regex>

#include "cli/arguments/command.h"
#include "cli/arguments/roles.h"
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
    throw Quit(exit_usage, "--name: \"" + job.name + "\": Kubernetes wants a letter first");
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
    throw Quit(exit_usage, "--role " + role.name +
                               ": in a JobSet a role has pods of its own: wanted all of " +
                               std::to_string(ranks_of_pod) + " ranks of each, one after another");
  if (!is_label_part(role.name))
    throw Quit(exit_usage, "--role " + role.name +
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

struct Image {
  std::string role;  // Empty: of all.
  std::string name;
};

Image image_in(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void give_image(std::vector<PodGroup>& groups, const Image& image) {
  const auto group = std::ranges::find(groups, image.role, &PodGroup::name);
  if (group == groups.end())
    throw Quit(exit_usage, "--image " + image.role + "=" + image.name + ": there are no pods of a role " +
                               image.role + " (--jobset gives each role its own)");
  group->image = image.name;
}

void give_images(std::vector<PodGroup>& groups, const std::vector<std::string>& texts) {
  std::string for_all;
  for (const std::string& text : texts)
    if (const Image image = image_in(text); image.role.empty()) {
      if (!for_all.empty()) throw Quit(exit_usage, "--image " + image.name + ": a second image for all pods");
      for_all = image.name;
    }
  for (PodGroup& group : groups) group.image = for_all;
  for (const std::string& text : texts)
    if (const Image image = image_in(text); !image.role.empty()) give_image(groups, image);
  for (const PodGroup& group : groups)
    if (group.image.empty())
      throw Quit(exit_usage, "script k8s: --image is required" +
                                 (groups.size() > 1 ? ", here for role " + group.name : std::string()));
}

std::string jobset_prefix(const ScriptJob& job, const PodGroup& group) {
  return job.jobset ? job.name + "-" + group.name + "-0-" : job.name + "-";
}

}  // namespace

std::vector<PodGroup> pod_groups(const ScriptJob& job) {
  require_name(job);
  const auto all = static_cast<std::size_t>(job.node_count);
  or_quit(exit_usage, [&] {
    launcher::require_roles_fit(job.roles, all * static_cast<std::size_t>(job.tasks_per_node));
  });
  std::vector<PodGroup> groups{{"ranks", all, 0, ""}};
  if (job.jobset && !job.roles.empty()) groups = groups_of_roles(job);
  give_images(groups, job.images);
  for (const PodGroup& group : groups) {
    const std::string longest = jobset_prefix(job, group) + std::to_string(group.pods - 1);
    if (longest.size() > most_name_bytes)
      throw Quit(exit_usage, "--name: a pod's name would be " + longest + ": wanted at most " +
                                 std::to_string(most_name_bytes) + " characters");
  }
  return groups;
}

std::string hosts_of_pods(const ScriptJob& job) {
  std::string list;
  for (const PodGroup& group : pod_groups(job))
    list += (list.empty() ? "" : ",") + jobset_prefix(job, group) + "[0-" + std::to_string(group.pods - 1) +
            "]." + job.name + ":" + std::to_string(job.tasks_per_node);
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

}  // namespace adarun::cli
