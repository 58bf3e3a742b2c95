// SPDX-License-Identifier: Apache-2.0
// Any bytes as an answer of ssh-agent: filtering leaves them unchanged, or gives an answer that filtering
// again does not change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "launcher/transport/ssh/agent_login.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(agent_answer) {
  const std::string_view answer(reinterpret_cast<const char*>(data), size);
  const std::string filtered = adarun::launcher::filter_identities(answer, {"b25l", "YQ=="});
  if (filtered.size() > size && filtered != answer) std::abort();
  if (adarun::launcher::filter_identities(filtered, {"b25l", "YQ=="}) != filtered) std::abort();
  return 0;
}
