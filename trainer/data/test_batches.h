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

namespace adarun::trainer {

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
