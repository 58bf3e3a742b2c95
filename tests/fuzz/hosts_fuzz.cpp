// SPDX-License-Identifier: Apache-2.0
// Host lists and hostfiles: the first byte selects the parser. Any bytes give hosts to run ranks on or an
// Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/base/error.h"
#include "launcher/hosts/hostfile.h"
#include "launcher/hosts/read.h"
#include "ranktable/model/server_name.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

namespace {

bool is_usable_host(const launcher::Host& host) {
  const std::set<int> devices(host.devices.begin(), host.devices.end());
  return adarun::ranktable::is_server_name(host.name) && !devices.empty() &&
         devices.size() == host.devices.size() && *devices.begin() >= 0 && host.port >= 0 &&
         host.port <= 65535;
}

}  // namespace

FUZZ_TARGET(hosts) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    const std::vector<launcher::Host> hosts =
        data[0] % 2 == 0 ? launcher::parse_host_list(text) : launcher::parse_hostfile(text, "fuzz");
    std::set<std::string_view> names;
    for (const launcher::Host& host : hosts)
      if (!is_usable_host(host) || !names.insert(host.name).second) std::abort();
    if (hosts.empty()) std::abort();
  } catch (const launcher::Error&) {
  }
  return 0;
}
