// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::monitor {

/// One piece of a curve with its band, over one column of a picture or so.
struct Slice {
  double x = 0;  ///< Of its last point.
  double low = 0;
  double high = 0;
  double middle_low = 0;  ///< The curve itself lies between these two...
  double middle_high = 0;
  double middle = 0;             ///< ... and this is its mean.
  bool finite = false;           ///< Whether there is any number in it: else all of these are 0.
  std::uint32_t not_finite = 0;  ///< How many points hold a nan or an infinity.

  bool operator==(const Slice&) const = default;
};

/// Joins the points of a curve, which come in the order of x, to at most `most` slices over [from, to]. The
/// lowest and the highest value of each slice are kept, so that outliers stay visible. A curve of fewer
/// points keeps each.
class Decimator {
 public:
  Decimator(double from, double to, std::size_t most, std::size_t points);

  /// Outside of [from, to] it is left out.
  void add(const Slice& point);

  std::vector<Slice> take();

 private:
  double from_;
  double to_;
  double per_x_;  ///< Slices over one unit of x; 0: a slice for each point.
  std::size_t most_;
  std::size_t current_ = 0;
  std::size_t middles_ = 0;  ///< Points in the last slice that have a number.
  std::vector<Slice> slices_;
};

}  // namespace adarun::monitor
