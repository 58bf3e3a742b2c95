// SPDX-License-Identifier: Apache-2.0
// Any text is a map of server_ids to hosts that can be connected to, each host once, or an Error.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/hosts/hostfile.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

FUZZ_TARGET(host_map) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    std::set<std::string_view> names;
    const launcher::HostMap map = launcher::parse_host_map(text, "fuzz");
    for (const auto& [server, host] : map) {
      demand(!server.empty() && !host.name.empty() && host.port >= 0 && host.port <= 65535);
      demand(names.insert(host.name).second);
    }
  } catch (const launcher::Error& error) {
    demand(std::string_view(error.what()).starts_with("fuzz"));
  }
  return 0;
}
