// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/models/weights.h"

namespace adarun::trainer {

/// Tells of each gradient of a backward pass, in its thread, as soon as it has been added to those that were
/// there: mostly from the last layer to the first.
class GradientHooks {
 public:
  /// `added(t)`: to tensor t. What it throws ends the backward pass.
  GradientHooks(const Weights& weights, std::function<void(std::size_t tensor)> added);
  ~GradientHooks();
  GradientHooks(const GradientHooks&) = delete;
  GradientHooks& operator=(const GradientHooks&) = delete;

 private:
  class Hook;
  struct Accumulator;

  std::function<void(std::size_t)> added_;
  std::vector<Accumulator> accumulators_;
};

}  // namespace adarun::trainer
