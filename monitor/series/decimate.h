// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::monitor {

/// One piece of a curve with its band, about one pixel column wide.
struct Slice {
  double x = 0;  ///< x of its last point.
  double low = 0;
  double high = 0;
  double middle_low = 0;  ///< The curve itself is between these two...
  double middle_high = 0;
  double middle = 0;             ///< ... and this is its mean.
  bool finite = false;           ///< Whether any value is finite; if not, the values above are 0.
  std::uint32_t not_finite = 0;  ///< How many points have a nan or an infinity.

  bool operator==(const Slice&) const = default;
};

/// Merges the points of a curve, added in the order of x, into at most `most` slices over [from, to]. The
/// lowest and the highest value of each slice are kept, so that outliers stay visible. A curve with no more
/// than `most` points keeps each.
class Decimator {
 public:
  Decimator(double from, double to, std::size_t most, std::size_t points);

  /// A point outside [from, to] is ignored.
  void add(const Slice& point);

  std::vector<Slice> take();

 private:
  double from_;
  double to_;
  double per_x_;  ///< Slices per unit of x; 0: a slice for each point.
  std::size_t most_;
  std::size_t current_ = 0;
  std::size_t middles_ = 0;  ///< Points with a number in the last slice.
  std::vector<Slice> slices_;
};

}  // namespace adarun::monitor
