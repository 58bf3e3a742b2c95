// SPDX-License-Identifier: Apache-2.0
// Open MPI's ranks wait in sched_yield() if they outnumber the cores. If many ranks wait for one that
// computes, all cores stay busy; on Linux 6.18 nothing else ran for 14 seconds, not even the kernel's network
// thread, so messages from other nodes were not received. Symbols of the program take precedence over those
// of shared libraries, so Open MPI calls this sched_yield().
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

namespace {

constexpr std::int64_t same_wait_ns = 100'000;     // Calls no further apart than this belong to one wait.
constexpr std::int64_t yield_only_ns = 1'000'000;  // A longer wait sleeps.
constexpr timespec pause_of_wait{0, 20'000};

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

thread_local std::int64_t wait_began_ns = 0;
thread_local std::int64_t last_call_ns = 0;

}  // namespace

/// sched_yield(2), but if a wait has lasted for a millisecond, the thread sleeps for 20 microseconds. Any
/// thread.
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
