// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/parse.h"

#include <set>
#include <tuple>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/expand.h"
#include "launcher/hosts/host_collector.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/misread.h"

namespace adarun::launcher {
namespace {

// The host with all the devices of the items that name it, "node1:2"; empty if one says which devices.
std::string in_one_item(const std::vector<Host>& hosts, const std::string& name) {
  std::size_t count = 0;
  for (const Host& host : hosts) {
    if (host.name != name) continue;
    if (host.asked_kind) return {};
    if (host.devices != first_devices(static_cast<int>(host.devices.size()))) return {};
    count += host.devices.size();
  }
  const std::string written = name.find(':') == std::string::npos ? name : "[" + name + "]";
  return written + ":" + std::to_string(count);
}

[[noreturn]] void refuse_twin(const std::vector<Host>& hosts, const std::string& name,
                              const std::string& where) {
  const std::string wanted = in_one_item(hosts, name);
  throw Error(where + ": host \"" + name + "\" is named twice" +
              (wanted.empty() ? "" : "; for all its ranks: " + wanted));
}

}  // namespace

std::vector<Host> parse_host_list(std::string_view text, const std::string& option) {
  const std::string where = option + " \"" + std::string(text) + "\"";
  HostCollector hosts;
  for (const std::string_view item : split_items(text)) {
    refuse_shell_words(item, where);
    refuse_unclear_colons(item, where);
    const auto [names, count] = split_count(item);
    if (names.empty()) throw Error(where + ": a host without a name");
    Host host{"", first_devices(1), "", 0};
    if (names.size() < item.size()) count_devices(host, count, where + ": devices of " + std::string(names));
    std::tie(host.user, host.name) = split_user(names, where);
    hosts.add(host, where);
  }
  refuse_twins(hosts.all(), where);
  return std::move(hosts.all());
}

void refuse_twins(const std::vector<Host>& hosts, const std::string& where) {
  std::set<std::string> seen;
  for (const Host& host : hosts)
    if (!seen.insert(host.name).second) refuse_twin(hosts, host.name, where);
  if (hosts.empty()) throw Error(where + ": no host in it");
}

Host parse_login(std::string_view text) {
  const std::string where = "\"" + std::string(text) + "\"";
  auto [user, rest] = split_user(text, where);
  const auto [name, port] = split_count(rest);
  const bool has_port = name.size() < rest.size();
  const bool in_brackets = name.starts_with('[') && name.ends_with(']');
  Host host;
  host.name = in_brackets ? name.substr(1, name.size() - 2) : name;
  host.user = std::move(user);
  if (has_port) host.port = number_in(port, 1, 65535, where + ": port");
  if (host.name.empty()) throw Error(where + ": a host without a name");
  return host;
}

}  // namespace adarun::launcher
