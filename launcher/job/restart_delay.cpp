// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/restart_delay.h"

#include <algorithm>

namespace adarun::launcher {

std::chrono::milliseconds restart_delay(int number, std::chrono::milliseconds first) {
  constexpr std::chrono::milliseconds second_delay{1'000};
  std::chrono::milliseconds delay = first;
  for (int before = 1; before < number && delay < longest_restart_delay; ++before)
    delay = delay.count() == 0 ? second_delay : delay * 2;
  return std::min<std::chrono::milliseconds>(delay, longest_restart_delay);
}

}  // namespace adarun::launcher
