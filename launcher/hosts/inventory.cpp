// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/inventory.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_groups = 1000;
constexpr std::size_t most_hosts = 65536;
constexpr std::size_t most_value_bytes = 255;
constexpr std::size_t most_depth = 16;
constexpr std::size_t most_settings = 1'000'000;  // Of hosts, by lines of their own and by groups.

constexpr std::array used_variables{"ansible_host",
                                    "ansible_ssh_host",
                                    "ansible_user",
                                    "ansible_ssh_user",
                                    "ansible_port",
                                    "ansible_ssh_port",
                                    "ansible_connection",
                                    "ansible_ssh_common_args",
                                    "ansible_ssh_args",
                                    "ansible_ssh_extra_args",
                                    "slots",
                                    "devices"};

// "node[01:10:2]" -> "node[01-10/2]".
std::string with_our_ranges(const std::string& pattern) {
  std::string text = pattern;
  for (std::size_t open = text.find('['); open != std::string::npos; open = text.find('[', open + 1)) {
    const std::size_t close = text.find(']', open);
    if (close == std::string::npos || text.find_first_not_of("0123456789:", open + 1) != close) continue;
    const std::size_t first = text.find(':', open);
    if (first >= close) continue;
    text[first] = '-';
    if (const std::size_t second = text.find(':', first); second < close) text[second] = '/';
  }
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t most_shown = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most_shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > most_shown ? text + ", ..." : text;
}

// The first of the variables that has a value.
std::string first_of(const std::map<std::string, std::string, std::less<>>& variables,
                     std::initializer_list<std::string_view> names, const std::string& where) {
  for (const std::string_view name : names) {
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    if (found->second.find("{{") != std::string::npos)
      throw Error(where + ": " + std::string(name) + ": \"" + found->second +
                  "\": a template of Ansible, wanted the value itself");
    return found->second;
  }
  return "";
}

}  // namespace

void Inventory::fail(std::size_t line, const std::string& why) const {
  throw Error(name_ + ":" + std::to_string(line) + ": " + why);
}

Inventory::Group& Inventory::name_group(const std::string& group, std::size_t line) {
  const auto [named, is_new] = groups_.try_emplace(group);
  if (groups_.size() > most_groups) fail(line, "more than " + std::to_string(most_groups) + " groups");
  if (is_new) named->second.line = line;
  return named->second;
}

void Inventory::add_group(const std::string& group, std::size_t line) {
  name_group(group, line).is_there = true;
}

void Inventory::add_child(const std::string& group, const std::string& child, std::size_t line) {
  name_group(child, line);
  add_group(group, line);
  groups_[group].children.insert(child);
}

std::vector<std::string> Inventory::add(const std::string& pattern, const std::string& group,
                                        std::size_t line) {
  add_group(group, line);
  std::vector<std::string> names = expand_names(with_our_ranges(pattern), name_ + ":" + std::to_string(line));
  named_ += names.size();
  if (named_ > most_hosts) fail(line, "more than " + std::to_string(most_hosts) + " hosts");
  for (const std::string& host : names) {
    if (variables_.try_emplace(host).second) order_.push_back(host);
    groups_[group].hosts.push_back(host);
  }
  return names;
}

bool Inventory::uses(std::string_view variable) {
  return std::ranges::find(used_variables, variable) != used_variables.end();
}

void Inventory::store(Variables& variables, const std::string& variable, const std::string& value,
                      std::size_t line) const {
  if (value.size() > most_value_bytes)
    fail(line, variable + ": more than " + std::to_string(most_value_bytes) + " bytes");
  variables[variable] = value;
}

void Inventory::set(const std::vector<std::string>& hosts, const std::string& variable,
                    const std::string& value, std::size_t line) {
  if (!uses(variable)) return;
  settings_ += hosts.size();
  if (settings_ > most_settings) fail(line, "more than " + std::to_string(most_settings) + " variables");
  for (const std::string& host : hosts) store(variables_[host], variable, value, line);
}

void Inventory::set_of_group(const std::string& group, const std::string& variable, const std::string& value,
                             std::size_t line) {
  Group& named = name_group(group, line);
  if (uses(variable)) store(named.variables, variable, value, line);
}

// Throws Error if there is no such group, nor one that another has as its child, or, without a name, if
// groups differ in their hosts.
void Inventory::require_group(const std::string& group) const {
  std::vector<std::string> names;
  std::set<std::set<std::string>> kinds;
  for (const auto& [name, each] : groups_) {
    const bool is_of_ansible = name == "all" || name == "ungrouped";
    if (!each.is_there && !is_of_ansible) fail(each.line, "group \"" + name + "\" is not in this inventory");
    if (each.hosts.empty()) continue;
    if (!is_of_ansible) names.push_back(name);
    kinds.emplace(each.hosts.begin(), each.hosts.end());
  }
  if (group == "all" || groups_.count(group) > 0) return;
  if (!group.empty())
    throw Error(name_ + ": no group \"" + group + "\" in this inventory, which has " +
                (names.empty() ? "none with a name of its own" : joined(names)));
  if (kinds.size() > 1 && !names.empty())
    throw Error(name_ + ": an inventory with the groups " + joined(names) + ": wanted one, such as " + name_ +
                ":" + names.front() + ", or " + name_ + ":all");
}

// Those of its children, too.
std::set<std::string> Inventory::hosts_below(const std::string& group) const {
  std::set<std::string> hosts;
  std::set<std::string> seen{group};
  for (std::vector<std::string> open{group}; !open.empty();) {
    const Group& each = groups_.at(open.back());
    open.pop_back();
    hosts.insert(each.hosts.begin(), each.hosts.end());
    for (const std::string& child : each.children)
      if (seen.insert(child).second) open.push_back(child);
  }
  return hosts;
}

// Without "all". Variables of deeper groups hold before those of others.
std::vector<std::string> Inventory::groups_by_depth() const {
  std::map<std::string, std::size_t> depths;
  for (const auto& [name, each] : groups_) depths[name] = name == "all" ? 0 : 1;
  for (std::size_t round = 0; round < most_depth; ++round)
    for (const auto& [name, each] : groups_)
      for (const std::string& child : each.children)
        depths[child] = std::min(std::max(depths[child], depths[name] + 1), most_depth);
  std::vector<std::string> names;
  for (const auto& [name, depth] : depths)
    if (name != "all") names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [&depths](const std::string& left, const std::string& right) {
    return depths.at(left) < depths.at(right);
  });
  return names;
}

// The variables that hold for each host.
std::map<std::string, Inventory::Variables> Inventory::resolved() const {
  std::map<std::string, Variables> all;
  const auto set_all = [](Variables& of_host, const Variables& more) {
    for (const auto& [variable, value] : more) of_host[variable] = value;
  };
  if (const auto top = groups_.find("all"); top != groups_.end())
    for (const std::string& host : order_) all[host] = top->second.variables;
  std::size_t settings = settings_;
  for (const std::string& group : groups_by_depth()) {
    const Variables& variables = groups_.at(group).variables;
    if (variables.empty()) continue;
    const std::set<std::string> hosts = hosts_below(group);
    settings += hosts.size();
    if (settings > most_settings)
      throw Error(name_ + ": more than " + std::to_string(most_settings) + " variables of hosts");
    for (const std::string& host : hosts) set_all(all[host], variables);
  }
  for (const auto& [host, variables] : variables_) set_all(all[host], variables);
  return all;
}

Host Inventory::host_of(const std::string& alias, const Variables& variables) const {
  const std::string where = name_ + ": host \"" + alias + "\"";
  const std::string way = first_of(variables, {"ansible_connection"}, where);
  if (!way.empty() && way != "ssh" && way != "smart" && !way.starts_with("paramiko"))
    throw Error(where + ": ansible_connection=" + way + ", wanted a host that SSH reaches");
  for (const char* words : {"ansible_ssh_common_args", "ansible_ssh_extra_args", "ansible_ssh_args"})
    if (!first_of(variables, {words}, where).empty())
      throw Error(where + ": " + words +
                  ": not read; what it says goes into ~/.ssh/config, and the host into "
                  "a list or hostfile");
  const auto [name, port_of_name] = split_count(alias);  // "node1:2222"
  Host host{std::string(name), first_devices(1), "", 0};
  if (const std::string address = first_of(variables, {"ansible_host", "ansible_ssh_host"}, where);
      !address.empty())
    host.name = address;
  host.user = first_of(variables, {"ansible_user", "ansible_ssh_user"}, where);
  std::string port = first_of(variables, {"ansible_port", "ansible_ssh_port"}, where);
  if (port.empty()) port = std::string(port_of_name);
  if (!port.empty()) host.port = number_in(port, 1, 65535, where + ": port");
  for (const char* ours : {"slots", "devices"})
    if (const std::string value = first_of(variables, {ours}, where); !value.empty())
      apply_setting(host, std::string(ours) + "=" + value, where);
  return host;
}

std::vector<Host> Inventory::hosts_of(const std::string& group) const {
  require_group(group);
  const bool wants_all = group.empty() || group == "all";
  const std::set<std::string> wanted = wants_all ? std::set<std::string>() : hosts_below(group);
  const std::map<std::string, Variables> variables = resolved();
  HostCollector hosts;
  for (const std::string& host : order_)
    if (wants_all || wanted.count(host) > 0)
      hosts.add(host_of(host, variables.at(host)), name_ + ": host \"" + host + "\"");
  if (hosts.all().empty()) throw Error(name_ + ": no host in it");
  return std::move(hosts.all());
}

}  // namespace adarun::launcher
