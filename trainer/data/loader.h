// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/data/batch.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/data/prefetcher.h"
#include "trainer/data/shard.h"

namespace adarun::trainer {

struct LoaderOptions {
  std::size_t batch_size = 32;
  int side = 28;           ///< Rows and columns of images.
  std::uint64_t seed = 1;  ///< For shuffling and augmentation.
  int workers = 0;         ///< Threads that make batches in advance; 0: next() makes them.
  int sharers = 1;         ///< Ranks that take the same shard: batch_size is that of all of them.
};

/// The training batches of one rank, epoch by epoch. They do not depend on the number of workers. `dataset`
/// must outlive it.
class Loader {
 public:
  /// Throws Error (refused) if a shard has less than one batch.
  Loader(const Dataset& dataset, Shard shard, const LoaderOptions& options);

  /// Batches in every whole epoch, the same number on every rank.
  int steps() const { return steps_; }

  /// The same in an epoch that begins with `earlier`, which count.
  int steps(const EarlierSteps& earlier) const;

  /// How many steps take as many samples as `earlier` did, rounded down.
  int equal_steps(const EarlierSteps& earlier) const;

  /// Shuffles for `epoch` (from 1), the same way on every rank, and sets the next batch to number `first`
  /// (from 1) of this epoch, which begins with `earlier`: fewer than `first`.
  void start(int epoch, int first = 1, const EarlierSteps& earlier = {});

  /// The next batch, at most steps(earlier) in an epoch; valid until the next call. Throws Error if it cannot
  /// be read.
  const Batch& next();

 private:
  void make(int step, Batch& batch) const;

  const Dataset& dataset_;
  Shard shard_;
  LoaderOptions options_;
  int steps_;
  int epoch_ = 0;
  int next_ = 1;
  int earlier_ = 0;  // steps of this epoch that are not in indices_
  std::vector<std::uint32_t> indices_;
  Batch batch_;
  std::unique_ptr<Prefetcher> prefetcher_;  // last: its threads use the other members
};

/// How the batches of an evaluation are read.
struct TestBatchOptions {
  std::size_t batch_size = 256;
  int side = 28;    ///< Rows and columns of images.
  int workers = 0;  ///< Threads that read batches in advance; 0: next() reads them.
  std::chrono::seconds timeout = std::chrono::minutes(10);  ///< For each batch, where there are workers.
};

/// Some samples of a data set as they are, batch by batch; the last batch may be smaller. `dataset` must
/// outlive it.
class TestBatches {
 public:
  /// The label of samples that fill batches up.
  static constexpr std::int64_t no_class = -1;

  /// The samples `indices`, of which all after the first `counted` fill batches up.
  TestBatches(const Dataset& dataset, std::vector<std::uint32_t> indices, std::size_t counted,
              const TestBatchOptions& options);

  /// How many batches there are.
  int count() const;

  /// The next one, valid until the next call; called count() times at most. Throws Error if it cannot be
  /// read; as Prefetcher says, ends the process if it is not read in time.
  const Batch& next();

 private:
  void make(int number, Batch& batch) const;

  const Dataset& dataset_;
  std::vector<std::uint32_t> indices_;
  std::size_t counted_;
  TestBatchOptions options_;
  int next_ = 1;
  Batch batch_;
  std::unique_ptr<Prefetcher> prefetcher_;  // last: its threads use the other members
};

}  // namespace adarun::trainer
