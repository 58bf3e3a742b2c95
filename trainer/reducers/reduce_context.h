// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "trainer/parallel/split_run.h"
#include "trainer/reducers/reducer.h"

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

}  // namespace adarun::trainer
