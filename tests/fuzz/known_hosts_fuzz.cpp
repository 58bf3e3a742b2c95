// SPDX-License-Identifier: Apache-2.0
// Any bytes as a known-hosts file: it is read, whatever its lines are, and a repeated lookup gives the same
// result.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/transport/ssh/known_hosts.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"

namespace launcher = adarun::launcher;

FUZZ_TARGET(known_hosts) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("known_hosts", {reinterpret_cast<const char*>(data), size});
  launcher::KnownHosts hosts;
  for (const char* name : {"node1", "[node1]:2222", "10.0.0.1", "::1"})
    demand(hosts.keys_of(name, {path}).size() == hosts.keys_of(name, {path}).size());
  return 0;
}
