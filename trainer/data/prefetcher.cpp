// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/prefetcher.h"

#include <chrono>
#include <utility>

#include "trainer/base/error.h"

namespace adarun::trainer {

Prefetcher::Prefetcher(int workers, Make make)
    : make_(std::move(make)), slots_(2 * static_cast<std::size_t>(workers)) {
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Prefetcher::drop() {
  std::unique_lock lock(mutex_);
  last_ = 0;
  changed_.wait(lock, [this] { return busy_ == 0; });
  for (Slot& slot : slots_) slot.step = 0;
}

void Prefetcher::start(int first, int last) {
  const std::lock_guard lock(mutex_);
  next_made_ = first;
  next_taken_ = first;
  last_ = last;
  changed_.notify_all();
}

void Prefetcher::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] {
      return ends_ || (next_made_ <= last_ && next_made_ < next_taken_ + static_cast<int>(slots_.size()));
    });
    if (ends_) return;
    const int step = next_made_++;
    Slot& slot = slot_of(step);
    ++busy_;
    lock.unlock();
    slot.error = nullptr;
    try {
      make_(step, slot.batch);
    } catch (...) {
      slot.error = std::current_exception();
    }
    lock.lock();
    --busy_;
    slot.step = step;
    changed_.notify_all();
  }
}

const Batch& Prefetcher::take() {
  // Waits in pieces: time in which the process is stopped does not count.
  constexpr std::chrono::seconds piece{1};
  constexpr int most_pieces = 600;
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(next_taken_);
  const auto is_ready = [&] { return slot.step == next_taken_; };
  for (int pieces = 0; !changed_.wait_for(lock, piece, is_ready);) {
    if (++pieces == most_pieces)
      throw Error("batch " + std::to_string(next_taken_) + ": not read within ten minutes");
  }
  if (slot.error) std::rethrow_exception(slot.error);
  std::swap(taken_, slot.batch);
  slot.step = 0;
  ++next_taken_;
  changed_.notify_all();
  return taken_;
}

}  // namespace adarun::trainer
