// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace adasum::algorithms {

/// When an operation may write to its tensors.
enum class Results {
  in_place,   ///< As soon as every rank's data is known to be finite.
  held_back,  ///< Only in commit(): other tensors, combined elsewhere, may turn out not to be finite.
};

/// One algorithm, prepared for a list of tensors. It can run any number of times: combine(), then commit().
///
/// States:
///   idle      --combine() returns a rank-->  idle      (nothing has been written)
///   idle      --combine() returns none-->    combined
///   combined  --commit()-->                  idle      (the tensors hold the result)
///   combined  --combine()-->                 as from idle, if commit() was skipped
class AllreduceOp {
 public:
  virtual ~AllreduceOp() = default;

  /// The first part of Plan::run(). If it returns a rank (the lowest with NaN or an infinity), the run is
  /// over and the tensors are unchanged. Collective.
  virtual std::optional<int> combine() = 0;

  /// The second part: on return the tensors hold the result. Collective; call it after a combine() that
  /// returned nothing. It may be skipped, but then on all ranks.
  virtual void commit() = 0;

  /// The dot products of every two participants, per tensor (kernels::pair_index), from which the result was
  /// computed; empty if this algorithm does not compute all of them.
  virtual std::span<const double> dots() const { return {}; }
};

}  // namespace adasum::algorithms
