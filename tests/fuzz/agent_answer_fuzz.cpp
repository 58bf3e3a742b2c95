// SPDX-License-Identifier: Apache-2.0
// What an ssh-agent answers: any bytes, filtered, are as they were, or an answer that filtering does not
// change.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "launcher/transport/ssh/agent_filter.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view answer(reinterpret_cast<const char*>(data), size);
  const std::string filtered = adarun::launcher::filter_identities(answer, {"b25l", "YQ=="});
  if (filtered.size() > size && filtered != answer) std::abort();
  if (adarun::launcher::filter_identities(filtered, {"b25l", "YQ=="}) != filtered) std::abort();
  return 0;
}
