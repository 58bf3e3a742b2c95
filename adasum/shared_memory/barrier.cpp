// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/barrier.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "adasum/communicators/fiber.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

constexpr int max_spins = 100'000;  // some tens of microseconds, if each rank has a core
constexpr int max_yields = 20;  // to the ranks for which this one waits; else a sleep and its end cost more
constexpr std::chrono::milliseconds check_interval{100};  // between looks at other processes

std::uint32_t* word(std::atomic<std::uint32_t>& value) {
  return reinterpret_cast<std::uint32_t*>(&value);
}

bool is_alive(std::int64_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

}  // namespace

Barrier::Barrier(BarrierState& state, std::span<const BarrierRank> ranks, int rank, const WaitLimits& limits)
    : state_(state),
      ranks_(ranks),
      rank_(rank),
      limits_(limits),
      looked_at_(static_cast<std::size_t>(rank)),
      spins_(ranks.size() <= std::thread::hardware_concurrency() ? max_spins : 0),
      yields_(spins_ == 0 ? max_yields : 0) {}

Barrier::~Barrier() {
  if (!is_fork()) mark_left(static_cast<std::uint32_t>(rank_) + 1);
}

void Barrier::give_up() {
  if (!is_fork()) mark_left((static_cast<std::uint32_t>(rank_) + 1) | BarrierState::gave_up);
}

bool Barrier::is_fork() const {
  return ranks_[static_cast<std::size_t>(rank_)].process != ::getpid();
}

void Barrier::mark_left(std::uint32_t left) {
  std::uint32_t none = 0;
  state_.left.compare_exchange_strong(none, left);
  wake_all();
}

void Barrier::wait() {
  throw_if_aborted();
  const std::uint32_t round = state_.round.load();
  throw_if_left(round);
  if (state_.arrived.fetch_add(1) + 1 == ranks_.size()) {
    state_.arrived.store(0);
    state_.round.fetch_add(1);
    return wake_all();
  }
  for (int spin = 0; spin < spins_ && state_.round.load() == round; ++spin) {
  }
  for (int turn = 0; turn < yields_ && state_.round.load() == round; ++turn) std::this_thread::yield();
  Deadline deadline = limits_.from_now();
  while (state_.round.load() == round) {
    throw_if_left(round);
    const bool was_suspended = Fiber::pause();
    if (was_suspended) deadline = limits_.from_now();
    const auto began = std::chrono::steady_clock::now();
    const bool is_woken = !was_suspended && sleep(round);
    if (was_stopped(began, check_interval)) deadline = limits_.from_now();
    if (!is_woken) throw_if_next_is_dead(round);
    if (!was_suspended && !is_woken) throw_if_late(round, deadline);
  }
}

void Barrier::wake_all() {
  ::syscall(SYS_futex, word(state_.round), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Returns false after a time in which the round was not completed.
bool Barrier::sleep(std::uint32_t round) {
  const timespec timeout = {.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(check_interval).count()};
  const long result = ::syscall(SYS_futex, word(state_.round), FUTEX_WAIT, round, &timeout, nullptr, 0);
  return result == 0 || errno != ETIMEDOUT;
}

void Barrier::throw_if_aborted() {
  if (limits_.abort_descriptor < 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < look_for_abort_again_) return;
  look_for_abort_again_ = now + check_interval;
  if (limits_.from_now().aborted())
    throw PeerLost(name_of(static_cast<std::size_t>(rank_)) + ": the wait was ended from outside");
}

void Barrier::throw_if_late(std::uint32_t round, const Deadline& deadline) {
  if (!deadline.passed() || state_.round.load() != round) return;
  const auto mine = static_cast<std::size_t>(rank_);
  if (deadline.aborted()) throw PeerLost(name_of(mine) + ": the wait was ended from outside");
  throw_unless_complete(round, mine, name_of(mine) + " waited in vain for the others of its node");
}

void Barrier::throw_if_left(std::uint32_t round) {
  const std::uint32_t left = state_.left.load();
  if (left == 0) return;
  const std::uint32_t rank = (left & ~BarrierState::gave_up) - 1;
  const char* how = (left & BarrierState::gave_up) != 0 ? " gave up" : " has left";
  throw_unless_complete(round, rank, name_of(rank) + how + " while the others wait for it");
}

// Ranks that wait look at different processes each time, together at all of them.
void Barrier::throw_if_next_is_dead(std::uint32_t round) {
  const auto now = std::chrono::steady_clock::now();
  if (now < look_again_) return;
  look_again_ = now + check_interval;
  looked_at_ = (looked_at_ + 1) % ranks_.size();
  if (!is_alive(ranks_[looked_at_].process))
    throw_unless_complete(round, looked_at_, name_of(looked_at_) + " has left while the others wait for it");
}

// A rank may complete the round and then leave, or end, before this one has noticed the round. A round that
// is given up must not be completed later by the arrivals counted so far.
void Barrier::throw_unless_complete(std::uint32_t round, std::size_t left, const std::string& why) {
  if (state_.round.load() != round) return;
  mark_left(static_cast<std::uint32_t>(left) + 1);
  throw PeerLost(why);
}

std::string Barrier::name_of(std::size_t rank) const {
  return "rank " + std::to_string(ranks_[rank].world_rank);
}

}  // namespace adasum
