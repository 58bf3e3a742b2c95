// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/host_collector.h"

#include <algorithm>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/hosts/expand.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t max_devices = std::size_t{1} << 20U;

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

}  // namespace

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
