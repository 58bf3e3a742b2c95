// SPDX-License-Identifier: Apache-2.0
// Open MPI's ranks wait by sched_yield() where they outnumber the cores. A wait of many ranks for one that
// computes then keeps all cores busy; Linux 6.18 was seen to run nothing else, not even its own network
// thread, for 14 seconds, so that ranks on other nodes were not heard of. The program's own functions come
// before those of the libraries that it loads: so this is the sched_yield() that Open MPI calls.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace {

constexpr std::int64_t same_wait_ns = 100'000;     // Calls no further apart are one wait.
constexpr std::int64_t yield_only_ns = 1'000'000;  // A wait that is longer sleeps.
constexpr timespec pause_of_wait{0, 20'000};

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

thread_local std::int64_t wait_began_ns = 0;
thread_local std::int64_t last_call_ns = 0;

}  // namespace

/// sched_yield(2), but in a wait that has lasted for a millisecond the thread sleeps for 20 microseconds.
/// Any thread.
extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  const std::int64_t now = now_ns();
  if (now - last_call_ns > same_wait_ns) wait_began_ns = now;
  if (now - wait_began_ns > yield_only_ns)
    ::nanosleep(&pause_of_wait, nullptr);
  else
    ::syscall(SYS_sched_yield);
  last_call_ns = now_ns();
  return 0;
}
