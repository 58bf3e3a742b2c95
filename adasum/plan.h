// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/number.h"

namespace adasum {

/// A list of tensors made ready to be combined again and again: nothing is allocated, and nothing agreed on,
/// from one run to the next. T is float, double, Float16 or BFloat16.
template <typename T>
class Plan {
 public:
  /// Collective over the engine's world. The tensors may lie anywhere, and have any number of elements, 0 too;
  /// they, and `engine`, must outlive the plan. Throws adasum::Error on every rank where the ranks' lists differ
  /// in number or sizes.
  Plan(Engine& engine, std::vector<std::span<T>> tensors);

  /// Combines the tensors of all ranks by AdaSum, each tensor by itself, in place, with the same bits on every
  /// rank. Where some rank has NaN or an infinity, that rank (the lowest) is returned, the same on all of them,
  /// and the tensors are what they were. Collective. Throws adasum::Error where a peer is gone.
  ///
  /// Formula and tree: Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv
  /// 2006.02924:
  ///   Adasum(a, b) = (1 - a.b / (2|a|^2)) a + (1 - a.b / (2|b|^2)) b,  over a balanced tree of neighbours.
  /// Departure: a vector with |a|^2 = 0 contributes nothing, and the other is taken as it is. All dot products are
  /// sums in double, and so is each combination, rounded once.
  std::optional<int> run() { return course_->run(); }

 private:
  std::unique_ptr<algorithms::Course> course_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class Plan<Float16>;
extern template class Plan<BFloat16>;

}  // namespace adasum
