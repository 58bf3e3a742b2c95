// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace adasum {

/// An allreduce of a few numbers, such as partial dot products, over the ranks that hold different parts of
/// the same vectors. Implementations: by messages (message_reduce.h), in shared memory of a node
/// (adasum/shared_memory/shared_reduce.h).
///
/// Calls are collective over these ranks; the results are bit-equal on all of them. Throws adasum::Error if a
/// rank has ended.
class ScalarReduce {
 public:
  virtual ~ScalarReduce() = default;

  /// Sum over the ranks, in place.
  virtual void sum(std::span<double> values) = 0;

  /// Maximum over the ranks, in place. Values must not be NaN.
  virtual void max(std::span<double> values) = 0;
};

/// For a rank that holds all parts of its vectors: its own values are the result.
class LocalReduce : public ScalarReduce {
 public:
  void sum(std::span<double>) override {}
  void max(std::span<double>) override {}
};

}  // namespace adasum
