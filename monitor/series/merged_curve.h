// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "monitor/series/series.h"

namespace adarun::monitor {

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

/// A series of a rank. Attempts before the last one have one each.
struct RankSeries {
  std::uint32_t rank = 0;
  const Series* series = nullptr;
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

  /// Merges what has changed. What a rank's series have in one bucket counts once.
  void update(std::span<const RankSeries> ranks, std::uint64_t stride);

  /// In the order of positions.
  const std::vector<MergedPoint>& points() const { return points_; }

 private:
  static constexpr std::uint64_t nothing_stale = std::numeric_limits<std::uint64_t>::max();

  std::vector<MergedPoint> points_;
  std::uint64_t stale_from_ = 0;
};

/// One of the attempts that a job runs in.
struct RunAttempt {
  std::uint64_t number = 1;
  std::string change = {};           ///< How it came about: "node2 is lost; node3 joins". Cleaned.
  std::optional<Sample> begin = {};  ///< Its loss line of the lowest position; nothing until it prints one.
  std::size_t ranks = 0;             ///< Of one that has ended: how many ranks had loss lines.
  bool replaced = false;             ///< A later attempt began where it did, or before.

  /// Whether it can be seen where it took over from the one before.
  bool has_mark() const { return number > 1 && begin && !replaced; }
};

/// The losses of one rank of an attempt that has ended.
struct PastRank {
  std::uint32_t rank = 0;
  Series losses;
  Series validations;
};

/// What is left of the attempts before the current one: their losses before the position where a later
/// attempt began.
class PastAttempts {
 public:
  void add(PastRank rank);

  /// Drops what lies at this position and after it: it is done again.
  void cut(std::uint64_t position);

  void coarsen(std::uint64_t stride);

  const std::vector<PastRank>& ranks() const { return ranks_; }
  std::size_t points() const { return points_; }

  /// The last position; 0 if there is none.
  std::uint64_t position() const { return position_; }

 private:
  void count(const PastRank& rank);
  void count_all();

  std::vector<PastRank> ranks_;  ///< In the order of attempts, then of ranks.
  std::size_t points_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace adarun::monitor
