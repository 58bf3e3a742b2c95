// SPDX-License-Identifier: Apache-2.0
#include "base/describe.h"

#include <array>

namespace adarun::base {

std::string describe(std::chrono::milliseconds time) {
  if (time < std::chrono::seconds(1)) return std::to_string(time.count()) + " ms";
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 >= 100) text += "." + std::to_string(time.count() % 1000 / 100);
  return text + " s";
}

std::string describe_bytes(std::uint64_t size) {
  constexpr std::array units{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  std::uint64_t tenths = size * 10;
  for (; tenths >= 10'000 && unit + 1 < units.size(); ++unit) tenths /= 1000;
  std::string text = std::to_string(tenths / 10);
  if (unit > 0 && tenths % 10 > 0) text += "." + std::to_string(tenths % 10);
  return text + " " + units[unit];
}

}  // namespace adarun::base
