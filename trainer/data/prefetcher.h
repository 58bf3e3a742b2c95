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

/// Makes batches in advance in its own threads, each batch in one thread, and returns them in order. At most
/// two per thread are ready or in progress.
class Prefetcher {
 public:
  /// Makes batch `step`. Called from several threads at once.
  using Make = std::function<void(int step, Batch& batch)>;

  /// `workers` threads, at least 1.
  Prefetcher(int workers, Make make);

  /// Waits for the batches in progress, and discards them.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Discards all batches that are ready or in progress, and starts no more.
  void drop();

  /// After construction or drop(): begins to make batches first, first + 1, ... last.
  void start(int first, int last);

  /// The next batch, valid until the next call. Throws what making it threw, or Error if it is not ready
  /// within ten minutes.
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
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<Slot> slots_;
  int next_made_ = 1;
  int next_taken_ = 1;
  int last_ = 0;
  int busy_ = 0;
  bool ends_ = false;
  Batch taken_;
  std::vector<std::thread> threads_;  // last: the threads use all members above
};

}  // namespace adarun::trainer
