// SPDX-License-Identifier: Apache-2.0
// Any text is a list of different ids, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>
#include <vector>

#include "ranktable/model/error.h"
#include "ranktable/operations/device_range.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(visible_devices) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::vector<int> ids = rt::parse_visible_devices(text);
    const std::set<int> different(ids.begin(), ids.end());
    if (ids.empty() || different.size() != ids.size() || *different.begin() < 0) std::abort();
  } catch (const rt::Error&) {
  }
  return 0;
}
