// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/stop_signal.h"

#include <csignal>

namespace adarun::trainer {
namespace {

volatile std::sig_atomic_t requested = 0;

}  // namespace

void catch_stop_signal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { requested = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() {
  return requested != 0;
}

}  // namespace adarun::trainer
