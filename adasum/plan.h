// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/request.h"
#include "adasum/types/number.h"

namespace adasum {

/// A list of tensors prepared for AdaSum, to be combined again and again: nothing is allocated, and nothing
/// agreed on between ranks, from one run to the next. T is float, double, Float16 or BFloat16.
template <typename T>
class Plan {
 public:
  /// Collective over the engine's world. The tensors may lie anywhere, and have any number of elements, 0
  /// too; they, and `engine`, must outlive the plan. Throws adasum::Error on every rank where the ranks'
  /// lists differ in number or sizes.
  Plan(Engine& engine, std::vector<std::span<T>> tensors);

  /// Combines the tensors of all ranks by AdaSum, each tensor by itself, in place, with the same bits on
  /// every rank. Where some rank has NaN or an infinity, that rank (the lowest) is returned, the same on all
  /// of them, and the tensors are what they were. Collective. Throws adasum::Error where a rank is gone.
  ///
  /// Formula and tree: Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv
  /// 2006.02924:
  ///   Adasum(a, b) = (1 - a.b / (2|a|^2)) a + (1 - a.b / (2|b|^2)) b,  over a balanced tree of neighbours.
  /// Departure: a vector with |a|^2 = 0 contributes nothing, and the other is taken as it is. All dot
  /// products are sums in double, and so is each combination, rounded once.
  std::optional<int> run();

  /// A nonblocking run(), beside other work of this thread: start() begins it and does what can be done
  /// without waiting for other ranks, progress() does more of that, wait() completes it and returns what
  /// run() returns. In between the tensors must not be touched, and no other plan of this engine may run or
  /// start: plans that are active at the same time need an engine each (Engine's second constructor). The
  /// same on every rank, none may run() instead.
  ///
  /// Work is done in these calls only: there is no thread behind them, and MPI is called by this thread
  /// alone. A plan that is destroyed while it is active, as those of all ranks must be, first completes its
  /// messages; its tensors may then hold anything. Where the other ranks do not do so within ten seconds, and
  /// MPI still uses its memory, the program is ended (std::abort).
  void start() { request_->start(); }
  bool progress() { return request_->progress(); }  ///< True when wait() has only to write the result.
  std::optional<int> wait();

  /// What was measured of each tensor in the last run, the same on every rank, where Options::diagnostics
  /// asks for it: from the dot products that shared (on one node) and gram compute anyway, of up to 16
  /// participants. Empty for other algorithms (ask for Algorithm::gram then), in a world of one, and after a
  /// run that found NaN or an infinity.
  std::vector<TensorDiagnostics> diagnostics() const {
    return diagnostics_of(request_->op().dots(), participants_);
  }

 private:
  std::unique_ptr<Request> request_;
  std::size_t participants_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class Plan<Float16>;
extern template class Plan<BFloat16>;

}  // namespace adasum
