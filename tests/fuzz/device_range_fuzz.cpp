// SPDX-License-Identifier: Apache-2.0
// Any text is a range that is written in the form it is read, or an Error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/model/error.h"
#include "ranktable/operations/device_range.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(device_range) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const rt::DeviceRange range = rt::parse_device_range(text).range;
    if (range.first < 0 || range.count() < 1 || range.end > rt::max_server_devices) std::abort();
    if (rt::parse_device_range(rt::to_string(range)).range != range) std::abort();
  } catch (const rt::Error&) {
  }
  return 0;
}
