// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "adasum/diagnostics.h"

namespace adarun::trainer {

class Weights;
struct ReduceContext;

/// How the gradients of all ranks become one.
enum class Reduce { adasum, mean, sum, none };

/// What is combined by AdaSum: gradients before the optimizer steps, or how far each rank's own step went.
enum class AdasumOn { gradient, delta };

/// How a world of ranks reduces.
struct Reduction {
  Reduce reduce = Reduce::none;
  int group_size = 1;  ///< Of AdaSum: ranks of a group take their mean first; 1 is flat.

  bool operator==(const Reduction&) const = default;
};

/// Makes the gradients of all ranks one, in place, in the memory that it was made for.
class Reducer {
 public:
  virtual ~Reducer() = default;

  /// The same bits on every rank. Where some rank has NaN or an infinity, that rank (the lowest) is returned,
  /// the same on every rank, and the gradients are what they were. Collective.
  virtual std::optional<int> reduce() = 0;

  /// What AdaSum saw of each tensor in the last reduce(), the same on every rank; nothing where it did not
  /// look or was not asked to (see adasum::Plan), and of other reductions.
  virtual std::vector<adasum::TensorDiagnostics> diagnostics() const { return {}; }
};

/// With AdaSum, where bucket_bytes is not 0: gradients are reduced in buckets of about so many bytes beside
/// the backward pass, a bucket as soon as `passes` passes have added to each of its tensors.
struct BucketOptions {
  std::size_t bucket_bytes = 0;
  int passes = 1;
};

/// The reducer of weights.gradients() for context.reduction:
///   adasum   AdaSum, each tensor by itself (adasum::Plan)
///   mean     sum over ranks / number of ranks
///   sum      sum over ranks
///   none     nothing: each rank keeps its own
/// Collective; weights and context outlive it. Throws adasum::Error as adasum::Plan does.
std::unique_ptr<Reducer> make_reducer(const ReduceContext& context, Weights& weights,
                                      const BucketOptions& buckets = {});

}  // namespace adarun::trainer
