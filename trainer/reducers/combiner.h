// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/bucket_plan.h"
#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adarun::trainer {

/// How the gradients of all ranks become one.
enum class Reduce { adasum, mean, sum, none };

/// What is combined by AdaSum: gradients before the optimizer steps, or how far each rank's own step went.
enum class AdasumOn { gradient, delta };

/// Whether diagnostics of what AdaSum combines are wanted, which cost it some words more between ranks.
enum class Diagnostics { no, yes };

/// Combines the gradients of all ranks. `communicator` must outlive it.
class Combiner {
 public:
  /// `group_size` is AdaSum's: ranks of a group take their mean first, 1 is flat. Collective. Throws
  /// adasum::Error where the world does not fit.
  Combiner(adasum::Communicator& communicator, Reduce reduce, int group_size,
           Diagnostics diagnostics = Diagnostics::no);

  /// Memory for what is combined, where that takes fewest copies; zeroes. Lives as long as this. Collective.
  std::span<float> allocate(std::size_t count);

  /// With Reduce::adasum only, and before the first combine(): gradients are combined in buckets of about so
  /// many bytes, beside the backward pass, each as soon as added() was called `passes` times for each of its
  /// tensors. Collective.
  void combine_early(std::span<float> data, std::span<const std::int64_t> counts, std::size_t bucket_bytes,
                     int passes);

  /// A backward pass has added to tensor number `tensor`, in the thread that combines.
  void added(std::size_t tensor);

  /// In place, the same bits on every rank (Reduce::none leaves `data` as it is). `counts`: elements of each
  /// tensor in `data`, which is the same memory in every call. Where some rank has NaN or an infinity, that
  /// rank (the lowest) is returned, the same on every rank, and `data` is what it was. Collective.
  std::optional<int> combine(std::span<float> data, std::span<const std::int64_t> counts);

  /// Null unless it is Reduce::adasum.
  adasum::Engine* engine() { return engine_.get(); }

  /// What AdaSum saw of each gradient when they were last combined, the same on every rank; nothing where it
  /// did not look, or was not asked to (see adasum::Plan).
  std::vector<adasum::TensorDiagnostics> diagnostics() const;

  /// Returns once every rank has called it. Collective.
  void wait_for_all();

 private:
  std::optional<int> combine_rest();

  adasum::Communicator& communicator_;
  Reduce reduce_;
  std::vector<std::vector<float>> memory_;  // without an engine
  std::unique_ptr<adasum::Engine> engine_;  // with Reduce::adasum
  std::optional<adasum::Plan<float>> gradients_;
  std::optional<adasum::BucketPlan<float>> buckets_;  // instead, where they are combined early
  std::vector<int> left_;                             // passes until each tensor is ready for its bucket
  int passes_ = 1;
};

}  // namespace adarun::trainer
