// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "trainer/data/batch.h"

namespace adarun::trainer {

/// Makes batches in advance in its own threads, each batch in one thread, and returns them in order. At most
/// two per thread are ready or in progress.
///
/// If a batch that it waits for is not made within `timeout` (a file system does not answer), it ends the
/// process, with a line on stderr and Exit::failed: a thread that hangs in a read can be neither joined nor
/// left behind.
class Prefetcher {
 public:
  /// Makes batch `step`. Called from several threads at once.
  using Make = std::function<void(int step, Batch& batch)>;

  /// `workers` threads, at least 1. `noun`: what messages call a batch. Throws Error if they cannot all be
  /// started.
  Prefetcher(int workers, Make make, std::chrono::seconds timeout = std::chrono::minutes(10),
             std::string noun = "batch");

  /// drop(), and ends the threads.
  ~Prefetcher();
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Discards all batches that are ready, and those in progress, for which it waits, and starts no more.
  void drop();

  /// After construction or drop(): begins to make batches first, first + 1, ... last.
  void start(int first, int last);

  /// The next batch, valid until the next call. Throws what making it threw.
  const Batch& take();

 private:
  struct Slot {
    Batch batch;
    int step = 0;  // 0: empty
    std::exception_ptr error;
  };

  void work();
  void end_threads();
  void await(std::unique_lock<std::mutex>& lock, const std::string& batch,
             const std::function<bool()>& is_there);
  Slot& slot_of(int step) { return slots_[static_cast<std::size_t>(step) % slots_.size()]; }

  Make make_;
  std::chrono::seconds timeout_;
  std::string noun_;
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
