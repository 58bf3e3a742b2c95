// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/script_notes.h"

#include <algorithm>
#include <cstdio>

#include "ranktable/model/address.h"

namespace adarun::cli {
namespace {

std::vector<ranktable::Device> by_rank(const ranktable::Server& server) {
  std::vector<ranktable::Device> devices = server.devices;
  std::sort(devices.begin(), devices.end(),
            [](const auto& a, const auto& b) { return a.rank_id < b.rank_id; });
  return devices;
}

std::string listed_devices(const ranktable::Server& server) {
  std::string text;
  for (const ranktable::Device& device : by_rank(server))
    text += (text.empty() ? "" : ",") + std::to_string(device.device_id);
  return text;
}

}  // namespace

bool has_first_devices(const ranktable::Server& server) {
  int next = 0;
  for (const ranktable::Device& device : by_rank(server))
    if (device.device_id != next++) return false;
  return true;
}

void ScriptNotes::tell_addresses(const std::string& why) const {
  std::vector<std::string> addresses;
  for (const launcher::Host& host : placement_.hosts)
    if (ranktable::parse_address(host.name)) addresses.push_back(host.name);
  tell(addresses,
       "an address, and " + why +
           (placement_.table_text.empty() ? "; name the nodes so in --hosts"
                                          : "; --map FILE says which name a server_id stands for"));
}

void ScriptNotes::tell_devices(const std::string& what) const {
  std::vector<std::string> devices;
  for (std::size_t node = 0; node < placement_.hosts.size(); ++node)
    if (!has_first_devices(placement_.table.servers[node]))
      devices.push_back("devices " + listed_devices(placement_.table.servers[node]) + " of " +
                        placement_.hosts[node].name);
  tell(devices, what);
}

void ScriptNotes::tell_users(const std::string& why) const {
  std::vector<std::string> users;
  for (const launcher::Host& host : placement_.hosts)
    if (!host.user.empty()) users.push_back("user " + host.user + " of " + host.name);
  tell(users, "left out: " + why);
}

void ScriptNotes::tell_ports(const std::string& why) const {
  std::vector<std::string> ports;
  for (const launcher::Host& host : placement_.hosts)
    if (host.port != 0) ports.push_back("port " + std::to_string(host.port) + " of " + host.name);
  tell(ports, "left out: " + why);
}

void ScriptNotes::tell(const std::vector<std::string>& things, const std::string& what) const {
  if (things.empty()) return;
  const std::string more = things.size() > 1 ? " (and " + std::to_string(things.size() - 1) + " more)" : "";
  std::fprintf(stderr, "adarun: %s: warning: %s%s: %s\n", script_.c_str(), things.front().c_str(),
               more.c_str(), what.c_str());
}

}  // namespace adarun::cli
