// SPDX-License-Identifier: Apache-2.0
// Any text gives an address, no address, no output, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/model/address.h"
#include "ranktable/model/error.h"
#include "ranktable/operations/hccn.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(hccn_tool) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const rt::ToolAnswer answer = rt::parse_hccn_tool(text, 0);
    if (answer.kind != rt::ToolAnswer::Kind::address) return 0;
    if (rt::canonical(rt::parse_address(answer.address).value()) != answer.address) std::abort();
  } catch (const rt::Error&) {
  }
  return 0;
}
