// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/map.h"

#include <set>
#include <sstream>

#include "launcher/base/error.h"
#include "launcher/base/read_input.h"
#include "launcher/hosts/hostfile.h"

namespace adarun::launcher {

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
