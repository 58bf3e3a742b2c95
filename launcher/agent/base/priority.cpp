// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/base/priority.h"

#include <sys/resource.h>

#include <algorithm>

namespace adarun::launcher::agent {

void raise_priority(pid_t watchdog) {
  constexpr int precedence = 10;
  constexpr int least = -20;
  const int usual = ::getpriority(PRIO_PROCESS, static_cast<id_t>(watchdog));
  ::setpriority(PRIO_PROCESS, 0, std::max(least, usual - precedence));
}

void take_priority_of(pid_t watchdog) {
  ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, static_cast<id_t>(watchdog)));
}

}  // namespace adarun::launcher::agent
