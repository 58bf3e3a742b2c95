// SPDX-License-Identifier: Apache-2.0
// Of two server ids, separated by a blank, at most one comes before the other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ranktable/operations/merge.h"
#include "tests/fuzz/fuzz_target.h"

namespace rt = adarun::ranktable;

FUZZ_TARGET(server_order) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view left = text.substr(0, text.find(' '));
  const std::string_view right = text.substr(left.size());
  if (rt::numeric_less(left, right) && rt::numeric_less(right, left)) std::abort();
  return 0;
}
