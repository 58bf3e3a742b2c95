// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace adasum::algorithms {

/// When a course may write to its tensors.
enum class Results {
  in_place,   ///< As soon as it is known that all is finite.
  held_back,  ///< In commit(), not before: perhaps other tensors, combined elsewhere, are not finite.
};

/// One way to combine a list of tensors, made ready.
class Course {
 public:
  virtual ~Course() = default;

  /// The first part of Plan::run(). Where a rank is returned, that is all, and the tensors are what they were.
  /// Collective.
  virtual std::optional<int> combine() = 0;

  /// The second: the tensors then hold the result. Collective, after a combine() that returned nothing, unless that
  /// is not to be used on any rank.
  virtual void commit() = 0;

  /// The dot products of each two participants, per tensor (kernels::pair_index), that the result was made with; none
  /// where this way does not take them all.
  virtual std::span<const double> dots() const { return {}; }
};

}  // namespace adasum::algorithms
