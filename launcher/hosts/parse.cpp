// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/parse.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/hosts/expand.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::launcher {
namespace {

constexpr int max_devices_per_host = 4096;
constexpr std::size_t max_devices = std::size_t{1} << 20U;

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int number_in(std::string_view text, int low, int high, const std::string& where) {
  const std::optional<int> value = number(text);
  if (!value || *value < low || *value > high)
    throw Error(where + ": \"" + std::string(text) + "\": wanted a number from " + std::to_string(low) +
                " to " + std::to_string(high));
  return *value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<int> device_list(std::string_view text, const std::string& where) {
  std::vector<int> devices;
  for (const std::string_view part : split(text, ','))
    devices.push_back(number_in(part, 0, max_devices_per_host - 1, where));
  if (std::set<int>(devices.begin(), devices.end()).size() != devices.size())
    throw Error(where + ": \"" + std::string(text) + "\": a device is named twice");
  return devices;
}

// "node[1-2]:8" -> "node[1-2]" and "8", or "" without a count. A colon inside brackets belongs to an IPv6
// address.
std::pair<std::string_view, std::string_view> split_count(std::string_view item) {
  const std::size_t colon = item.rfind(':');
  const std::size_t bracket = item.rfind(']');
  const bool in_brackets = bracket != std::string_view::npos && colon < bracket;
  const bool bare_ipv6 = std::count(item.begin(), item.end(), ':') > 1 && bracket == std::string_view::npos;
  if (colon == std::string_view::npos || in_brackets || bare_ipv6) return {item, ""};
  return {item.substr(0, colon), item.substr(colon + 1)};
}

void apply(Host& host, std::string_view setting, const std::string& where) {
  const std::size_t equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
  const std::string place = where + ": " + std::string(key);
  if (key == "slots") {
    host.devices = first_devices(number_in(value, 1, max_devices_per_host, place));
    host.counted = true;
  } else if (key == "devices") {
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

// "me@node1" -> "me" and "node1"; throws Error if one of them is empty.
std::pair<std::string, std::string> split_user(std::string_view name, const std::string& where) {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos) return {"", std::string(name)};
  if (at == 0 || at + 1 == name.size())
    throw Error(where + ": \"" + std::string(name) + "\": wanted USER@HOST");
  return {std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

// Other programs would cut such a name at its NUL or line end, and use another one.
bool has_unprintable(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}

// Names of hosts are written to nodelists, scripts and hostfiles, names of users to hostfiles.
void require_name(const std::string& name, const std::string& where) {
  if (!ranktable::is_server_name(name))
    throw Error(where + ": host " + ranktable::in_quotes(name) + ": wanted " +
                std::string(ranktable::server_name_letters));
}

void require_user(const std::string& user, const std::string& where) {
  if (user.starts_with('-') || user.find_first_of("'\"`$;&|<>(){}#,=") != std::string::npos)
    throw Error(where + ": user " + ranktable::in_quotes(user) +
                ": begins with - or holds one of '\"`$;&|<>(){}#,=");
}

// Collects hosts as they are read; refuses `n[1-65536]:4096` before all of it is in memory.
struct Hosts {
  std::vector<Host> all;
  std::size_t devices = 0;

  // Adds each of the names that the host's name expands to.
  void add(const Host& host, const std::string& where) {
    if (has_unprintable(host.name) || has_unprintable(host.user))
      throw Error(where + ": blanks or control characters in the name of a host or user");
    require_user(host.user, where);
    const std::vector<std::string> names = expand_names(host.name, where);
    count(names.size() * host.devices.size(), where);
    for (const std::string& name : names) {
      require_name(name, where);
      all.push_back(host);
      all.back().name = name;
    }
  }

  void add(const std::vector<Host>& hosts, const std::string& where) {
    for (const Host& host : hosts) count(host.devices.size(), where);
    all.insert(all.end(), hosts.begin(), hosts.end());
  }

  void count(std::size_t more, const std::string& where) {
    devices += more;
    if (devices > max_devices) throw Error(where + ": more than " + std::to_string(max_devices) + " devices");
  }
};

}  // namespace

std::vector<int> first_devices(int count) {
  std::vector<int> devices(static_cast<std::size_t>(count));
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

std::vector<Host> parse_host_list(std::string_view text) {
  const std::string where = "--hosts \"" + std::string(text) + "\"";
  Hosts hosts;
  for (const std::string_view item : split_items(text)) {
    const auto [names, count] = split_count(item);
    if (names.empty()) throw Error(where + ": a host without a name");
    const bool counted = names.size() < item.size();
    const int devices =
        counted ? number_in(count, 1, max_devices_per_host, where + ": devices of " + std::string(names)) : 1;
    auto [user, name] = split_user(names, where);
    hosts.add({std::move(name), first_devices(devices), std::move(user), 0, counted}, where);
  }
  refuse_twins(hosts.all, where);
  return std::move(hosts.all);
}

void refuse_twins(const std::vector<Host>& hosts, const std::string& where) {
  std::set<std::string> seen;
  for (const Host& host : hosts)
    if (!seen.insert(host.name).second) throw Error(where + ": host \"" + host.name + "\" is named twice");
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

std::vector<Host> parse_hostfile_line(std::string_view line, const std::string& where) {
  std::istringstream words{std::string(line)};
  Host host{"", first_devices(1), "", 0};
  Hosts hosts;
  if (!(words >> host.name)) return {};
  if (split_items(host.name).size() > 1)
    throw Error(where + ": \"" + host.name + "\": wanted one host or range in a line");
  std::tie(host.user, host.name) = split_user(host.name, where);
  for (std::string word; words >> word;) apply(host, word, where);
  hosts.add(host, where);
  return std::move(hosts.all);
}

std::vector<Host> parse_hostfile(std::string_view text, const std::string& name) {
  Hosts hosts;
  std::map<std::string, int> line_of;
  int line_number = 0;
  for (const std::string_view line : split(text, '\n')) {
    const std::string where = name + ":" + std::to_string(++line_number);
    const std::vector<Host> found = parse_hostfile_line(line.substr(0, line.find('#')), where);
    for (const Host& host : found)
      if (const auto [first, is_new] = line_of.emplace(host.name, line_number); !is_new)
        throw Error(where + ": host \"" + host.name + "\" is named twice, first in line " +
                    std::to_string(first->second));
    hosts.add(found, where);
  }
  if (hosts.all.empty()) throw Error(name + ": no host in it");
  return std::move(hosts.all);
}

}  // namespace adarun::launcher
