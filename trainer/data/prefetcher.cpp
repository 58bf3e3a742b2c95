// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/prefetcher.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

/// Flushes nothing but stderr: the thread that hangs may hold the lock of a file.
[[noreturn]] void end_process(const std::string& message) {
  const std::string line = "adarun-trainer: " + message + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  std::_Exit(static_cast<int>(Exit::failed));
}

}  // namespace

Prefetcher::Prefetcher(int workers, Make make, std::chrono::seconds timeout, std::string noun)
    : make_(std::move(make)),
      timeout_(timeout),
      noun_(std::move(noun)),
      slots_(2 * static_cast<std::size_t>(workers)) {
  try {
    for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    const std::size_t begun = threads_.size();
    end_threads();
    throw Error("--workers " + std::to_string(workers) + ": " + std::to_string(begun) +
                " threads have begun, and no other can: " + error.what() +
                " (fewer --workers, or ulimit -u)");
  }
}

Prefetcher::~Prefetcher() {
  drop();
  end_threads();
}

void Prefetcher::end_threads() {
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
  await(lock, "a " + noun_ + " that is not needed any more", [this] { return busy_ == 0; });
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

/// `batch`: what it waits for, in the message.
void Prefetcher::await(std::unique_lock<std::mutex>& lock, const std::string& batch,
                       const std::function<bool()>& is_there) {
  // Waits in pieces: time in which the process is stopped does not count.
  constexpr std::chrono::seconds piece{1};
  for (std::chrono::seconds waited{0}; !changed_.wait_for(lock, piece, is_there);) {
    waited += piece;
    if (waited >= timeout_)
      end_process(batch + ": not read within " + std::to_string(timeout_.count()) + " s");
  }
}

const Batch& Prefetcher::take() {
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(next_taken_);
  await(lock, noun_ + " " + std::to_string(next_taken_), [&] { return slot.step == next_taken_; });
  if (slot.error) std::rethrow_exception(slot.error);
  std::swap(taken_, slot.batch);
  slot.step = 0;
  ++next_taken_;
  changed_.notify_all();
  return taken_;
}

}  // namespace adarun::trainer
