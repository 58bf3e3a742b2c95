// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace adarun::monitor {

/// The loss at one position of a run, or over `stride` positions if the run is too long to keep each.
struct Point {
  std::uint64_t position = 0;  ///< Position of its last value.
  std::uint64_t epoch = 0;     ///< Of its last value, as printed.
  std::uint64_t step = 0;
  double mean = 0;  ///< Over the finite values.
  double min = 0;
  double max = 0;
  std::uint32_t finite = 0;      ///< How many values are finite...
  std::uint32_t not_finite = 0;  ///< ... and how many nan or infinite. If all are, min, max and mean are 0.
  std::int64_t time_ms = 0;      ///< When its last value was read: see Sample.

  bool operator==(const Point&) const = default;
};

/// One value to be added to a series.
struct Sample {
  std::uint64_t position = 0;
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double loss = 0;
  std::int64_t time_ms = 0;  ///< When it was read, since the Unix epoch; 0 if not known.
};

/// The loss of one rank over the positions of a run, in order.
class Series {
 public:
  /// Adds a value. A position at or before the last one means that the run went back (a restart): the values
  /// from that position on are replaced. If a point covers several positions, older values in the same point
  /// stay.
  void add(const Sample& sample);

  /// Drops the points at this position and after it.
  void cut(std::uint64_t position);

  /// From now on a point covers `stride` positions, a power of two. Existing points are merged; their mean,
  /// lowest and highest are kept.
  void coarsen(std::uint64_t stride);

  const std::vector<Point>& points() const { return points_; }

 private:
  std::uint64_t bucket(std::uint64_t position) const { return position >> stride_bits_; }

  std::vector<Point> points_;
  unsigned stride_bits_ = 0;
};

/// Merges two points; `right` must follow `left`.
Point joined(const Point& left, const Point& right);

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
