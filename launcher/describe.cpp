// SPDX-License-Identifier: Apache-2.0
#include "launcher/describe.h"

namespace adarun::launcher {

std::string describe(std::chrono::milliseconds time) {
  if (time < std::chrono::seconds(1)) return std::to_string(time.count()) + " ms";
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 >= 100) text += "." + std::to_string(time.count() % 1000 / 100);
  return text + " s";
}

}  // namespace adarun::launcher
