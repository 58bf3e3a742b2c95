// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <chrono>

namespace adarun::trainer {
namespace {

// How often this thread has given up its core to sleep; yielding does not count.
long sleeps() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

TEST(SchedYield, SleepsInALongWait) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const long before = sleeps();
  while (sleeps() < before + 100 && std::chrono::steady_clock::now() < deadline) ::sched_yield();
  EXPECT_GE(sleeps(), before + 100);
}

}  // namespace
}  // namespace adarun::trainer
