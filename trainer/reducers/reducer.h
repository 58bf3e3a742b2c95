// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "trainer/models/weights.h"
#include "trainer/options/options.h"
#include "trainer/parallel/split_run.h"

namespace adarun::trainer {

/// Whether to compute diagnostics of what AdaSum combines; this sends some more numbers between ranks.
enum class Diagnostics { no, yes };

/// The ranks and the method of this rank's reductions.
struct ReduceContext {
  /// Collective; `communicator` must outlive it. Throws adasum::Error if the world does not fit the
  /// reduction.
  ReduceContext(adasum::Communicator& world, const Reduction& how, Diagnostics diagnostics = Diagnostics::no);

  /// The same for a model whose layers are split over ranks, by mean or AdaSum without groups; without an
  /// engine. `run` must outlive it.
  ReduceContext(SplitRun& run, const Reduction& how);

  /// Requires an engine. Memory in which data is reduced with the fewest copies; zeroed. Valid as long as
  /// this object. Collective.
  std::span<float> allocate(std::size_t count) const;

  adasum::Communicator& communicator;
  Reduction reduction;
  std::unique_ptr<adasum::Engine> engine;  ///< Null unless the reduction is AdaSum of whole tensors.
  SplitRun* split = nullptr;
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
