// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"
#include "adasum/engine.h"
#include "adasum/plan.h"

namespace adasum {

/// The mean of the ranks of each group of an engine's world, times a gain that depends on how far the ranks
/// differ (Options::group_gain), of whole tensors also where ranks hold parts. T is float or double.
template <typename T>
class ScaledGroupMean {
 public:
  /// Collective over the engine's world, which has groups; engine and tensors must outlive it.
  ScaledGroupMean(Engine& engine, std::vector<std::span<T>> tensors);

  /// Replaces the tensors by those of the group, with the same bits on all of its ranks. If a rank has NaN or
  /// an infinity, returns that rank of the group (the lowest) on all ranks of the group and leaves their
  /// tensors unchanged. Collective over the group.
  std::optional<int> run();

  /// The ranks of this rank's group.
  Communicator& group() { return *group_; }

 private:
  std::vector<double> squares() const;
  void scale(std::span<const double> of_members, std::span<const double> of_mean);

  GroupGain gain_;
  std::vector<std::span<T>> tensors_;
  std::unique_ptr<Communicator> group_;
  Communicator* parts_;
  Engine engine_;
  Plan<T> mean_;
};

/// The gain of a group's mean: the mean of the members' |g_i|^2 over |mean|^2, at least 1 and at most
/// `members`. 1 if all are equal, or if the mean is 0; `members`, which makes the mean a sum, if they are
/// orthogonal or nearly cancel each other. For two vectors of equal length AdaSum's factor of their mean is
/// 2 - cos of their angle: the gain is equal to it for parallel and for orthogonal ones, else smaller.
double spread_gain(double mean_square, double square_of_mean, int members);

extern template class ScaledGroupMean<float>;
extern template class ScaledGroupMean<double>;

}  // namespace adasum
