// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "trainer/data/batch.h"

namespace adarun::trainer {

/// Batches made ahead of their use by threads of its own, each of them by one thread, and given out in order.
/// At most two for each thread are ready or being made.
class Prefetcher {
 public:
  /// Makes batch `step`. Called from several threads at once.
  using Make = std::function<void(int step, Batch& batch)>;

  /// `workers` threads, at least 1.
  Prefetcher(int workers, Make make);

  /// Waits for the batches that are being made, and drops them.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Drops the batches that are made or being made, and begins no other ones.
  void drop();

  /// After drop(), or for the first time: begins to make batches first, first + 1, ... last.
  void start(int first, int last);

  /// The next one, good until the next call. Throws what making it threw; Error where none comes for ten
  /// minutes.
  const Batch& take();

 private:
  struct Slot {
    Batch batch;
    int step = 0;  // 0: empty
    std::exception_ptr error;
  };

  void work();
  Slot& slot_of(int step) { return slots_[static_cast<std::size_t>(step) % slots_.size()]; }

  Make make_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  int next_made_ = 1;
  int next_taken_ = 1;
  int last_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  Batch taken_;
  std::vector<std::thread> threads_;  // last: they use all of the above
};

}  // namespace adarun::trainer
