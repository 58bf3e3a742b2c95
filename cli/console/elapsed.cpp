// SPDX-License-Identifier: Apache-2.0
#include "cli/console/elapsed.h"

#include "base/describe.h"

namespace adarun::cli {
namespace {

std::string of_two_units(std::int64_t count, const char* large, std::int64_t small_per_large,
                         const char* small) {
  const std::int64_t rest = count % small_per_large;
  std::string text = std::to_string(count / small_per_large) + " " + large;
  return rest == 0 ? text : text + " " + std::to_string(rest) + " " + small;
}

}  // namespace

std::string elapsed(std::chrono::milliseconds time) {
  if (time < std::chrono::minutes(1)) return base::describe(time);
  if (time < std::chrono::hours(1)) return of_two_units(time / std::chrono::seconds(1), "min", 60, "s");
  if (time < std::chrono::hours(24)) return of_two_units(time / std::chrono::minutes(1), "h", 60, "min");
  return of_two_units(time / std::chrono::hours(1), "d", 24, "h");
}

}  // namespace adarun::cli
