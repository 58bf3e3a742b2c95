// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "trainer/reducers/reducer.h"

namespace adarun::trainer {

/// Whether diagnostics of what AdaSum combines are wanted, which cost it some words more between ranks.
enum class Diagnostics { no, yes };

/// With whom and how this rank reduces.
struct ReduceContext {
  /// Collective; `communicator` outlives it. Throws adasum::Error where the world does not fit the reduction.
  ReduceContext(adasum::Communicator& world, const Reduction& how, Diagnostics diagnostics = Diagnostics::no);

  /// With an engine: memory for what is reduced, where that takes fewest copies; zeroes. Lives as long as
  /// this. Collective.
  std::span<float> allocate(std::size_t count) const;

  adasum::Communicator& communicator;
  Reduction reduction;
  std::unique_ptr<adasum::Engine> engine;  ///< Null unless the reduction is AdaSum.
};

}  // namespace adarun::trainer
