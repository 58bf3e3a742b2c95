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

constexpr int max_spins = 2'000;  // some microseconds, if each rank has a core
constexpr timespec check_interval = {.tv_sec = 1,
                                     .tv_nsec = 0};  // between checks that the other processes are alive

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

Barrier::Barrier(BarrierState& state, std::span<const std::int64_t> processes, int rank)
    : state_(state),
      processes_(processes),
      rank_(rank),
      spins_(processes.size() <= std::thread::hardware_concurrency() ? max_spins : 0) {}

Barrier::~Barrier() {
  std::uint32_t none = 0;
  state_.left.compare_exchange_strong(none, static_cast<std::uint32_t>(rank_) + 1);
  wake_all();
}

void Barrier::wait() {
  const std::uint32_t round = state_.round.load();
  throw_if_left();
  if (state_.arrived.fetch_add(1) + 1 == processes_.size()) {
    state_.arrived.store(0);
    state_.round.fetch_add(1);
    return wake_all();
  }
  for (int spin = 0; spin < spins_ && state_.round.load() == round; ++spin) {
  }
  while (state_.round.load() == round) {
    throw_if_left();
    if (!Fiber::pause()) sleep(round);
  }
}

void Barrier::wake_all() {
  ::syscall(SYS_futex, word(state_.round), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Barrier::sleep(std::uint32_t round) const {
  const long result =
      ::syscall(SYS_futex, word(state_.round), FUTEX_WAIT, round, &check_interval, nullptr, 0);
  if (result != 0 && errno == ETIMEDOUT) throw_if_dead();
}

void Barrier::throw_if_left() const {
  if (const std::uint32_t left = state_.left.load(); left != 0) throw_for(left - 1);
}

void Barrier::throw_if_dead() const {
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    if (!is_alive(processes_[rank])) throw_for(rank);
  }
}

void Barrier::throw_for(std::size_t rank) {
  throw Error("rank " + std::to_string(rank) + " of this node has left while the others wait for it");
}

}  // namespace adasum
