// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/read.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/base/read_input.h"
#include "launcher/hosts/expand.h"
#include "launcher/hosts/host_collector.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/misread.h"
#include "launcher/hosts/parse.h"

namespace adarun::launcher {
namespace {

// The step of a range, n[0-14/2], makes no path of a list.
bool has_slash_outside_ranges(const std::string& list) {
  bool is_in_range = false;
  for (const char c : list) {
    if (c == '[' || c == ']') is_in_range = c == '[';
    if (c == '/' && !is_in_range) return true;
  }
  return false;
}

bool is_file(const std::string& list) {
  std::error_code ignored;
  for (const char* beginning : {"/", "./", "../"})
    if (list.starts_with(beginning)) return true;
  if (list.find('@') != std::string::npos) return false;  // user@host, or a list with files in it
  return has_slash_outside_ranges(list) || std::filesystem::is_regular_file(list, ignored);
}

std::vector<Host> read_file(const std::string& path) {
  const std::string text = read_input(path, "hostfile");
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first != std::string::npos && text[first] == '{')
    throw Error(path + ": JSON, and no hostfile (a rank table goes behind -r)");
  return parse_hostfile(text, path);
}

// mpirun's -x PATH passes a variable on.
std::string if_variable(const std::string& name) {
  const bool in_capitals =
      name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
  return in_capitals && std::getenv(name.c_str()) != nullptr ? "; for the variable: --env " + name : "";
}

// The hosts of a list and of the hostfiles in it, and the names that the list itself has.
struct ListedHosts {
  std::vector<Host> all;
  std::set<std::string> typed;
};

ListedHosts read_list(const std::string& list, const std::string& option) {
  if (is_file(list)) return {read_file(list), {}};
  const std::string where = option + " \"" + list + "\"";
  if (list.find('@') == std::string::npos) refuse_shell_words(list, where);
  HostCollector all;
  std::set<std::string> typed;
  for (const std::string_view item : split_items(list)) {
    const bool is_reference = !item.empty() && item.front() == '@';
    if (!is_reference && names_a_file(item))
      throw Error(where + ": " + std::string(item) + ": no such file in this folder");
    const std::vector<Host> hosts =
        is_reference ? read_file(std::string(item.substr(1))) : parse_host_list(item, option);
    all.add(hosts, where);
    if (!is_reference)
      for (const Host& host : hosts) typed.insert(host.name);
  }
  return {std::move(all.all()), std::move(typed)};
}

}  // namespace

std::vector<Host> read_hosts(const std::string& list, const std::string& option) {
  std::vector<Host> hosts = read_list(list, option).all;
  refuse_twins(hosts, option + " \"" + list + "\"");
  return hosts;
}

std::vector<Host> without(const std::vector<Host>& hosts, const std::string& list) {
  const ListedHosts excluded = read_list(list, "--exclude");
  std::set<std::string> unknown = excluded.typed;
  for (const Host& host : hosts) unknown.erase(host.name);
  if (!unknown.empty())
    throw Error("--exclude \"" + list + "\": host \"" + *unknown.begin() + "\" is not among the hosts" +
                if_variable(*unknown.begin()));
  std::set<std::string> names;
  for (const Host& host : excluded.all) names.insert(host.name);
  std::vector<Host> rest;
  std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(rest),
               [&](const Host& host) { return names.count(host.name) == 0; });
  if (rest.empty()) throw Error("--exclude \"" + list + "\": no host is left");
  return rest;
}

}  // namespace adarun::launcher
