// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "adasum/engine.h"
#include "adasum/peers.h"
#include "adasum/plan.h"

namespace adarun::trainer {

/// How the gradients of all ranks become one.
enum class Reduce { adasum, mean, sum, none };

/// What is combined by AdaSum: gradients before the optimizer steps, or how far each rank's own step went.
enum class AdasumOn { gradient, delta };

/// Combines the gradients of all ranks. `peers` must outlive it.
class Combiner {
 public:
  /// `group_size` is AdaSum's: ranks of a group take their mean first, 1 is flat. Collective. Throws
  /// adasum::Error where the world does not fit.
  Combiner(adasum::Peers& peers, Reduce reduce, int group_size);

  /// In place, the same bits on every rank (Reduce::none leaves `data` as it is). `counts`: elements of each
  /// tensor in `data`, which is the same memory in every call. Where some rank has NaN or an infinity, that
  /// rank (the lowest) is returned, the same on every rank, and `data` is what it was. Collective.
  std::optional<int> combine(std::span<float> data, std::span<const std::int64_t> counts);

  /// Null unless it is Reduce::adasum.
  adasum::Engine* engine() { return engine_.get(); }

  /// Returns once every rank has called it. Collective.
  void wait_for_all();

 private:
  adasum::Peers& peers_;
  Reduce reduce_;
  std::unique_ptr<adasum::Engine> engine_;  // with Reduce::adasum
  std::optional<adasum::Plan<float>> gradients_;
};

}  // namespace adarun::trainer
