// SPDX-License-Identifier: Apache-2.0
// An ssh configuration: any bytes give valid settings, for a host and for a jump host, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "launcher/base/error.h"
#include "launcher/transport/ssh/config/config.h"
#include "tests/fuzz/fuzz_target.h"

namespace launcher = adarun::launcher;

namespace {

bool are_usable(const launcher::SshSettings& settings) {
  return settings.port >= 1 && settings.port <= 65535 && !settings.user.empty();
}

}  // namespace

FUZZ_TARGET(ssh_config) {
  try {
    launcher::SshConfig config({}, std::string_view(reinterpret_cast<const char*>(data), size));
    const launcher::SshSettings settings = config.settings_for({"node1", {0}, "", 0});
    for (const std::string& jump : settings.jumps) config.settings_for_jump(jump);
    if (!are_usable(settings)) std::abort();
    for (const std::string& note : config.notes())
      if (!note.starts_with("config:")) std::abort();
  } catch (const launcher::Error&) {
  }
  return 0;
}
