// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/hostfile.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/base/read_input.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {

void apply_setting(Host& host, std::string_view setting, const std::string& where) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  const std::string place = where + ": " + std::string(key);
  if (key == "slots" && device_kind(value)) {
    count_devices(host, value, place);
  } else if (key == "slots") {
    host.asked_kind.reset();
    host.devices = first_devices(number_in(value, 1, max_devices_per_host, place));
    host.counted = true;
  } else if (key == "devices") {
    host.asked_kind.reset();
    host.devices = device_list(value, place);
    host.counted = true;
  } else if (key == "port") {
    host.port = number_in(value, 1, 65535, place);
  } else if (key == "user" && !value.empty()) {
    host.user = value;
  } else {
    const bool is_number = setting.find_first_not_of("0123456789") == std::string_view::npos;
    throw Error(where + ": \"" + std::string(setting) + "\": wanted " +
                (is_number ? "slots=" + std::string(setting) + " behind the host"
                           : "slots=N, devices=0,1,.., user=NAME or port=N"));
  }
}

namespace {

// "slots = 8" -> "slots=8", as Open MPI reads it.
std::string without_blanks_at_equals(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    if (line[i] != '=') continue;
    text.pop_back();
    text.resize(text.find_last_not_of(" \t") + 1);
    text += '=';
    i = std::min(line.find_first_not_of(" \t", i + 1), line.size()) - 1;
  }
  return text;
}

// Open MPI's limit of a host, if the setting is one.
std::optional<int> max_slots_in(std::string_view setting, const std::string& where) {
  for (const std::string_view key : {"max_slots=", "max-slots="})
    if (setting.starts_with(key))
      return number_in(setting.substr(key.size()), 1, max_devices_per_host, where + ": max_slots");
  return std::nullopt;
}

// The settings behind a host's name.
void apply_settings(Host& host, std::istringstream& words, const std::string& where) {
  int most = max_devices_per_host;
  for (std::string word; words >> word;) {
    const std::optional<int> limit = max_slots_in(word, where);
    if (limit)
      most = *limit;
    else
      apply_setting(host, word, where);
  }
  if (host.counted && !host.asked_kind && host.devices.size() > static_cast<std::size_t>(most))
    throw Error(where + ": " + std::to_string(host.devices.size()) + " slots, where max_slots is " +
                std::to_string(most));
}

// Lines of other tools that name hosts in another way. Throws Error that says how it is written here.
void refuse_other_tools(std::string_view line, const std::string& where) {
  const std::size_t end = line.find_first_of(" \t\r");
  const std::string word(line.substr(0, end));
  if (word.starts_with('^'))
    throw Error(where + ": \"" + word + "\" leaves a host out in Open MPI: wanted --exclude " +
                word.substr(1));
  const std::string_view all = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  if (all.starts_with('[') && all.ends_with(']') && all.find(':') == std::string_view::npos)
    throw Error(where + ": \"" + std::string(all) +
                "\": a range without a name, or a group of Ansible, wanted [GROUP] of letters and digits");
  if (word.size() > 1 && word.ends_with(':') && !word.ends_with("::"))
    throw Error(
        where + ": \"" + word +
        "\" is a group of ClusterShell or a key of YAML, wanted lines such as node1 slots=8; of a group: "
        "--hosts \"$(nodeset -f @" +
        word.substr(0, word.size() - 1) + ")\"");
}

/// Which lines name a host.
struct Naming {
  int first_line = 0;
  int times = 0;
  int port = 0;
  bool bare = false;  ///< No line says more than the name.
};

/// Notes that a line names a host. Throws Error if another one does so too, unless both have the name alone.
void note(std::map<std::string, Naming>& namings, const Host& host, int line, const std::string& where) {
  const bool bare = host == Host{host.name, first_devices(1), "", 0, false};
  Naming& naming = namings.try_emplace(host.name, Naming{line, 0, host.port, bare}).first->second;
  if (++naming.times > 1 && !(bare && naming.bare))
    throw Error(where + ": host \"" + host.name + "\" is named twice, first in line " +
                std::to_string(naming.first_line) + if_ports_differ(naming.port, host.port));
}

/// Gives a host as many devices as lines name it.
void count_namings(HostCollector& hosts, const std::map<std::string, Naming>& namings,
                   const std::string& name) {
  for (Host& host : hosts.all()) {
    const int times = namings.at(host.name).times;
    if (times == 1) continue;
    hosts.count(static_cast<std::size_t>(times - 1), name);
    host.devices = first_devices(std::min(times, max_devices_per_host));
    host.counted = true;
  }
}

// One line of a hostfile, without a comment: the hosts it names, none if it is blank. Throws Error whose
// message begins with `where`.
std::vector<Host> parse_hostfile_line(std::string_view line, const std::string& where) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  refuse_other_tools(line, where);
  std::istringstream words(without_blanks_at_equals(line));
  Host host{"", first_devices(1), "", 0};
  HostCollector hosts;
  if (!(words >> host.name)) return {};
  if (std::optional<Host> url = url_host(host.name, where)) {
    host = std::move(*url);
    apply_settings(host, words, where);
    hosts.add(host, where);
    return std::move(hosts.all());
  }
  if (const auto [name, count] = split_count(host.name); !count.empty()) {  // as MPICH writes it
    refuse_port(name, count, where);
    count_devices(host, count, where + ": devices of " + std::string(name));
    host.name = std::string(name);
  }
  if (split_items(host.name).size() > 1)
    throw Error(where + ": \"" + host.name + "\": wanted one host or range in a line");
  std::tie(host.user, host.name) = split_user(host.name, where);
  apply_settings(host, words, where);
  hosts.add(host, where);
  return std::move(hosts.all());
}

}  // namespace

std::vector<Host> parse_hostfile(std::string_view text, const std::string& name) {
  HostCollector hosts;
  std::map<std::string, Naming> namings;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string where = name + ":" + std::to_string(++line_number);
    std::vector<Host> fresh;
    for (Host& host : parse_hostfile_line(line.substr(0, line.find('#')), where)) {
      note(namings, host, line_number, where);
      if (namings.at(host.name).times == 1) fresh.push_back(std::move(host));
    }
    hosts.add(fresh, where);
  }
  if (hosts.all().empty()) throw Error(name + ": no host in it");
  count_namings(hosts, namings, name);
  return std::move(hosts.all());
}

HostMap parse_host_map(std::string_view text, const std::string& name) {
  HostMap map;
  std::set<std::string> hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = name + ":" + std::to_string(++number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string server;
    if (!(words >> server)) continue;
    std::string rest;
    std::getline(words, rest);
    const std::vector<Host> host = parse_hostfile_line(rest, where);
    if (host.size() != 1) throw Error(where + ": wanted one host behind the server_id \"" + server + "\"");
    if (!map.emplace(server, host.front()).second)
      throw Error(where + ": server_id \"" + server + "\" comes twice");
    if (!hosts.insert(host.front().name).second)
      throw Error(where + ": host \"" + host.front().name + "\" comes twice");
  }
  return map;
}

HostMap read_host_map(const std::string& path) {
  return parse_host_map(read_input(path, "map of servers to hosts"), path);
}

}  // namespace adarun::launcher
