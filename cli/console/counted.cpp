// SPDX-License-Identifier: Apache-2.0
#include "cli/console/counted.h"

namespace adarun::cli {

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string counted(std::size_t count, const std::string& thing) {
  return grouped(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace adarun::cli
