// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/hostfile.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/base/read_input.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

void apply(Host& host, std::string_view setting, const std::string& where) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  const std::string place = where + ": " + std::string(key);
  if (key == "max_slots" || key == "max-slots") {  // Open MPI's; slots are never exceeded here.
    number_in(value, 1, max_devices_per_host, place);
  } else if (key == "slots" && device_kind(value)) {
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
    throw Error(where + ": \"" + std::string(setting) +
                "\": wanted slots=N, devices=0,1,.., user=NAME or port=N");
  }
}

/// Which lines name a host.
struct Naming {
  int first_line = 0;
  int times = 0;
  bool bare = false;  ///< No line says more than the name.
};

/// Notes that a line names a host. Throws Error if another one does so too, unless both have the name alone.
void note(std::map<std::string, Naming>& namings, const Host& host, int line, const std::string& where) {
  const bool bare = host == Host{host.name, first_devices(1), "", 0, false};
  Naming& naming = namings.try_emplace(host.name, Naming{line, 0, bare}).first->second;
  if (++naming.times > 1 && !(bare && naming.bare))
    throw Error(where + ": host \"" + host.name + "\" is named twice, first in line " +
                std::to_string(naming.first_line));
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
  std::istringstream words{std::string(line)};
  Host host{"", first_devices(1), "", 0};
  HostCollector hosts;
  if (!(words >> host.name)) return {};
  if (const auto [name, count] = split_count(host.name); !count.empty()) {  // as MPICH writes it
    count_devices(host, count, where + ": devices of " + std::string(name));
    host.name = std::string(name);
  }
  if (split_items(host.name).size() > 1)
    throw Error(where + ": \"" + host.name + "\": wanted one host or range in a line");
  std::tie(host.user, host.name) = split_user(host.name, where);
  for (std::string word; words >> word;) apply(host, word, where);
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
