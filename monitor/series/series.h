// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace adarun::monitor {

/// The loss at one position of a run, or over `stride` positions of a run too long to keep whole.
struct Point {
  std::uint64_t position = 0;  ///< Of the last value in it.
  std::uint64_t epoch = 0;     ///< As printed, of the last value in it.
  std::uint64_t step = 0;
  double mean = 0;  ///< Over the finite values.
  double min = 0;
  double max = 0;
  std::uint32_t finite = 0;      ///< How many values are numbers...
  std::uint32_t not_finite = 0;  ///< ... and how many nan or infinite. min, max, mean are 0 where all are.
  std::int64_t time_ms = 0;      ///< When the last value in it was seen: see Sample.

  bool operator==(const Point&) const = default;
};

/// One value on its way into a series.
struct Sample {
  std::uint64_t position = 0;
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double loss = 0;
  std::int64_t time_ms = 0;  ///< When it was seen, since the Unix epoch; 0 where that is not known.
};

/// The loss of one rank over the positions of a run, in order.
class Series {
 public:
  /// Adds a value. One at or before the last position means that the run went back (a restart): what lay at
  /// or behind it is replaced. Within a point of several positions the older values stay.
  void add(const Sample& sample);

  /// From now on a point holds `stride` positions, a power of two; those there are joined: their mean, lowest
  /// and highest stay.
  void coarsen(std::uint64_t stride);

  const std::vector<Point>& points() const { return points_; }

 private:
  std::uint64_t bucket(std::uint64_t position) const { return position >> stride_bits_; }

  std::vector<Point> points_;
  unsigned stride_bits_ = 0;
};

/// `right`, which lies behind `left`, joined to it.
Point joined(const Point& left, const Point& right);

}  // namespace adarun::monitor
