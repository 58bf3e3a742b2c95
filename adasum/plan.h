// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/diagnostics.h"
#include "adasum/engine.h"
#include "adasum/flight.h"
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
  std::optional<int> run();

  /// run() in pieces, beside other work of this thread: start() begins it and does what can be done without waiting for
  /// other ranks, progress() goes on as far, wait() ends it and returns what run() returns. In between the tensors are
  /// not to be touched, and no other plan of this engine is to be run or started: a plan that is to be under way beside
  /// it wants an engine of its own (Engine's second constructor). The same on every rank, none may run() instead.
  ///
  /// Nothing moves but in these calls: there is no thread behind them, and MPI is called by this one alone. A plan that goes
  /// before it is waited for, as all ranks' do, first ends what it has begun; its tensors may then hold anything. Where
  /// the others do not come to that within ten seconds, and MPI has still to do with its memory, the program is ended
  /// (std::abort).
  void start() { flight_->start(); }
  bool progress() { return flight_->progress(); }  ///< True when wait() has no more to wait for but the writing.
  std::optional<int> wait();

  /// What was seen of each tensor in the last run, the same on every rank, where Options::diagnostics asks for it: from
  /// the dot products that shared (on one node) and gram take anyway, of up to 16 participants. Nothing for other ways
  /// (ask for Algorithm::gram then), in a world of one, and after a run that found NaN or an infinity.
  std::vector<TensorDiagnostics> diagnostics() const { return diagnostics_of(flight_->course().dots(), participants_); }

 private:
  std::unique_ptr<Flight> flight_;
  std::size_t participants_;
};

extern template class Plan<float>;
extern template class Plan<double>;
extern template class Plan<Float16>;
extern template class Plan<BFloat16>;

}  // namespace adasum
