// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace adasum {

/// Few numbers that ranks with different parts of the same vectors put together. Collective; the results are
/// bit-equal on all ranks that take part. Throws adasum::Error where one of them is gone.
class Scalars {
 public:
  virtual ~Scalars() = default;

  /// Sum over the ranks, in place.
  virtual void sum(std::span<double> values) = 0;

  /// Maximum over the ranks, in place. No NaN among them.
  virtual void max(std::span<double> values) = 0;
};

/// Of a rank that has all parts of its vectors.
class OwnScalars : public Scalars {
 public:
  void sum(std::span<double>) override {}
  void max(std::span<double>) override {}
};

}  // namespace adasum
