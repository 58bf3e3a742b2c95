// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_words.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/base/number.h"
#include "launcher/hosts/name_ranges.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t max_devices = std::size_t{1} << 20U;

// Other programs would cut such a name at its NUL or line end, and use another one.
bool has_unprintable(std::string_view name) {
  return std::any_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; });
}

bool is_port_of_ssh(int number) {
  constexpr std::array ports{22, 222, 2022, 2200, 2222};
  return std::ranges::find(ports, number) != ports.end();
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

std::vector<int> devices_between(int first, int last) {
  std::vector<int> devices(static_cast<std::size_t>(last - first + 1));
  std::iota(devices.begin(), devices.end(), first);
  return devices;
}

// "8" are devices 0 to 7, "4-7" are those four. Throws Error.
std::vector<int> devices_of(std::string_view text, const std::string& where) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash == 0)
    return first_devices(number_in(text, 1, max_devices_per_host, where));
  const int first = number_in(text.substr(0, dash), 0, max_devices_per_host - 1, where);
  return devices_between(first, number_in(text.substr(dash + 1), first, max_devices_per_host - 1, where));
}

}  // namespace

int number_in(std::string_view text, int low, int high, const std::string& where) {
  const std::optional<int> value = number<int>(text);
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

std::optional<DeviceKind> device_kind(std::string_view text) {
  for (const DeviceKind kind : {DeviceKind::any, DeviceKind::npu, DeviceKind::gpu, DeviceKind::cpu})
    if (text == name_of(kind)) return kind;
  return std::nullopt;
}

const char* name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::any:
      break;
    case DeviceKind::npu:
      return "npu";
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::cpu:
      return "cpu";
  }
  return "auto";
}

void count_devices(Host& host, std::string_view text, const std::string& where) {
  host.asked_kind = device_kind(text);
  host.devices = host.asked_kind ? first_devices(1) : devices_of(text, where);
  host.counted = true;
}

void refuse_port(std::string_view name, std::string_view count, const std::string& where) {
  const std::optional<int> number = launcher::number<int>(count);
  if (!number || *number > 65535 || !(is_port_of_ssh(*number) || *number > max_devices_per_host)) return;
  const std::string text(name);
  const std::string last = std::to_string(*number - 1);
  throw Error(where + ": for port " + std::string(count) + ": ssh://" + text + ":" + std::string(count) +
              (*number > max_devices_per_host
                   ? ""
                   : ", for " + std::string(count) + " devices: " + text + ":0-" + last));
}

std::string if_ports_differ(int first, int second) {
  return first == second ? "" : "; machines of one address: each needs a Host of its own in ~/.ssh/config";
}

std::string written_count(std::size_t count) {
  const bool may_be_port = count <= max_devices_per_host && is_port_of_ssh(static_cast<int>(count));
  return may_be_port ? "0-" + std::to_string(count - 1) : std::to_string(count);
}

std::pair<std::string_view, std::string_view> split_count(std::string_view item) {
  const std::size_t colon = item.rfind(':');
  const std::size_t bracket = item.rfind(']');
  const bool in_brackets = bracket != std::string_view::npos && colon < bracket;
  const bool bare_ipv6 = std::count(item.begin(), item.end(), ':') > 1 && bracket == std::string_view::npos;
  if (colon == std::string_view::npos || in_brackets || bare_ipv6) return {item, ""};
  return {item.substr(0, colon), item.substr(colon + 1)};
}

std::vector<int> first_devices(int count) {
  return devices_between(0, count - 1);
}

std::pair<std::string, std::string> split_user(std::string_view name, const std::string& where) {
  const std::size_t at = name.rfind('@');
  if (at == std::string_view::npos) return {"", std::string(name)};
  if (at == 0 || at + 1 == name.size())
    throw Error(where + ": \"" + std::string(name) + "\": wanted USER@HOST");
  return {std::string(name.substr(0, at)), std::string(name.substr(at + 1))};
}

bool are_one_name(std::string_view left, std::string_view right) {
  if (left.size() > right.size()) std::swap(left, right);
  const bool is_short = !left.empty() && left.find_first_of(".:") == std::string_view::npos;
  const bool is_number = left.find_first_not_of("0123456789") == std::string_view::npos;  // of an address
  return is_short && !is_number && right.size() > left.size() && right.starts_with(left) &&
         right[left.size()] == '.';
}

void HostCollector::add(const Host& host, const std::string& where) {
  if (has_unprintable(host.name) || has_unprintable(host.user))
    throw Error(where + ": blanks or control characters in the name of a host or user");
  require_user(host.user, where);
  const std::vector<std::string> names = expand_names(host.name, where);
  count(names.size() * host.devices.size(), where);
  for (const std::string& name : names) {
    require_name(name, where);
    all_.push_back(host);
    all_.back().name = name;
  }
}

void HostCollector::add(const std::vector<Host>& hosts, const std::string& where) {
  for (const Host& host : hosts) count(host.devices.size(), where);
  all_.insert(all_.end(), hosts.begin(), hosts.end());
}

void HostCollector::count(std::size_t more, const std::string& where) {
  devices_ += more;
  if (devices_ > max_devices) throw Error(where + ": more than " + std::to_string(max_devices) + " devices");
}

}  // namespace adarun::launcher
