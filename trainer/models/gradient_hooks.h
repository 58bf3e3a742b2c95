// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "trainer/models/weights.h"

namespace adarun::trainer {

/// Reports each gradient of a backward pass, in the thread of the pass, as soon as it has been added to the
/// existing gradient: mostly from the last layer to the first.
class GradientHooks {
 public:
  /// `added(t)` is called after a gradient was added to that of tensor t. If it throws, the backward pass
  /// ends.
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
