// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/types/options.h"

namespace adarun::trainer {

class Weights;
struct ReduceContext;

/// How the gradients of all ranks are combined.
enum class Reduce { adasum, mean, sum, none };

/// What AdaSum combines: gradients before the optimizer step, or the weight change of each rank's own step.
enum class AdasumOn { gradient, delta };

/// What AdaSum takes as one vector: a tensor, or each row of a weight of two or more dimensions (what makes
/// one output).
enum class AdasumPer { tensor, row };

/// How the ranks of a world reduce.
struct Reduction {
  Reduce reduce = Reduce::none;
  int group_size = 1;  ///< For AdaSum: ranks of a group are averaged first; 1: no groups.
  adasum::GroupGain group_gain = adasum::GroupGain::none;  ///< What their mean is multiplied by.
  AdasumPer per = AdasumPer::tensor;

  bool operator==(const Reduction&) const = default;
};

/// Combines the gradients of all ranks, in place, in the memory that it was made for.
class Reducer {
 public:
  virtual ~Reducer() = default;

  /// Gives the same bits on every rank. If some rank has NaN or an infinity, returns that rank (the lowest)
  /// on every rank and leaves the gradients unchanged. Collective.
  virtual std::optional<int> reduce() = 0;

  /// AdaSum's diagnostics of each tensor from the last reduce(), the same on every rank; empty if they are
  /// not enabled or not available (see adasum::Plan), and for other reductions.
  virtual std::vector<adasum::TensorDiagnostics> diagnostics() const { return {}; }
};

/// For AdaSum, if bucket_bytes is not 0: gradients are reduced in buckets of about this size during the
/// backward pass, each bucket as soon as `passes` passes have added to each of its tensors.
struct BucketOptions {
  std::size_t bucket_bytes = 0;
  int passes = 1;
};

/// Makes the reducer of weights.gradients(), from those of tensor `first` on, for context.reduction:
///   adasum   AdaSum, each tensor or row by itself (adasum::Plan); in groups with a gain, of their scaled
///            means (adasum::ScaledGroupMean), where gradients are not left unchanged if some rank's are not
///            finite
///   mean     sum over ranks / number of ranks
///   sum      sum over ranks
///   none     nothing: each rank keeps its own
/// Where layers are split over ranks (ReduceContext::split), mean and adasum are over the replicas of each
/// tensor; AdaSum's dot products are those of whole tensors. Buckets need all tensors, no gain, no rows and
/// no such layers. Collective; weights and context must outlive it. Throws adasum::Error as adasum::Plan
/// does.
std::unique_ptr<Reducer> make_reducer(const ReduceContext& context, Weights& weights,
                                      const BucketOptions& buckets = {}, std::size_t first = 0);

}  // namespace adarun::trainer
