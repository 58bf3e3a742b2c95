// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
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
  std::uint32_t told = 0;    ///< How many lines in a row have told their steps: see StepClock::is_mean().
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

/// The loss of all ranks at one position (over `Run::stride()` positions).
struct MergedPoint {
  std::uint64_t position = 0;
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double min = 0;  ///< Over the ranks with a finite loss; the median is that of the ranks' means.
  double median = 0;
  double max = 0;
  std::uint32_t ranks = 0;       ///< How many ranks have a finite loss here...
  std::uint32_t not_finite = 0;  ///< ... and how many printed only nan or inf.
  std::int64_t time_ms = 0;      ///< Of the latest point: see Sample.

  bool operator==(const MergedPoint&) const = default;
};

/// The series of several ranks merged into one curve. Only the part that has changed is merged again. A
/// bucket is a position divided by the stride.
class MergedCurve {
 public:
  /// The series have changed from this bucket on.
  void change_from(std::uint64_t bucket) { stale_from_ = std::min(stale_from_, bucket); }

  /// All of them have changed.
  void clear() {
    points_.clear();
    stale_from_ = 0;
  }

  bool is_current() const { return stale_from_ == nothing_stale; }

  /// A rank and one of its series: attempts before the last one have one each.
  using RankSeries = std::pair<std::uint32_t, const Series*>;

  /// Merges what has changed. What a rank's series have in one bucket counts once.
  void update(std::span<const RankSeries> ranks, std::uint64_t stride);

  /// In the order of positions.
  const std::vector<MergedPoint>& points() const { return points_; }

 private:
  static constexpr std::uint64_t nothing_stale = std::numeric_limits<std::uint64_t>::max();

  std::vector<MergedPoint> points_;
  std::uint64_t stale_from_ = 0;
};

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

/// A curve of so many points, which `slice_at` gives in the order of x, merged into at most `most` slices.
/// The lowest and the highest value of each slice are kept, so that outliers stay visible. A curve with no
/// more than `most` points keeps each. A point that is not between the first and the last one is left out.
std::vector<Slice> decimated(std::size_t points, std::size_t most,
                             const std::function<Slice(std::size_t)>& slice_at);

/// The median; for an even number of values the mean of the middle two. 0 if there are no values.
double median(std::vector<double> values);

/// The median absolute deviation, times 1.4826, so that for normally distributed values it equals the
/// standard deviation. A few outliers of any size do not change it.
double spread(const std::vector<double>& values);

}  // namespace adarun::monitor
