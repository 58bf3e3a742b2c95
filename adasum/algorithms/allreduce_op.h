// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace adasum::algorithms {

/// When an operation may write to its tensors.
enum class Results {
  in_place,   ///< As soon as it is known that all is finite.
  held_back,  ///< In commit(), not before: perhaps other tensors, combined elsewhere, are not finite.
};

/// One algorithm prepared for a list of tensors, to be run again and again: combine(), then commit().
///
/// States:
///   idle      --combine() gives a rank-->  idle      (nothing has been written)
///   idle      --combine() gives none-->    combined
///   combined  --commit()-->                idle      (the tensors hold the result)
///   combined  --combine()-->               as from idle, where commit() was left out
class AllreduceOp {
 public:
  virtual ~AllreduceOp() = default;

  /// The first part of Plan::run(). Where a rank is returned (the lowest with NaN or an infinity), the run
  /// ends with it, and the tensors are what they were. Collective.
  virtual std::optional<int> combine() = 0;

  /// The second part: on return the tensors hold the result. Collective, after a combine() that returned
  /// nothing. May be left out, on all ranks.
  virtual void commit() = 0;

  /// The dot products of each two participants, per tensor (kernels::pair_index), that the result was
  /// computed with; empty where this algorithm does not compute them all.
  virtual std::span<const double> dots() const { return {}; }
};

}  // namespace adasum::algorithms
