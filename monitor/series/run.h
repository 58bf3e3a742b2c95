// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/parse/gradient_line.h"
#include "monitor/parse/log_reader.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/metric_line.h"
#include "monitor/series/series.h"
#include "monitor/series/step_clock.h"

namespace adarun::monitor {

/// What is known of a rank's process. `unknown` where only its log can be seen; `lost` where nobody hears of
/// it any more: its node is gone, or whoever ran the job. Set by who knows of the job (Run::set_state), from
/// the launcher's events or from job.json:
///   unknown or waiting  --its agent starts it-->                   running
///   waiting or running  --exit status 0-->                         done
///   waiting or running  --another end of its own, or no start-->   failed
///   running             --its agent ends it, to stop the job-->    stopped
///   running             --its node or the launcher is gone-->      lost
enum class ProcessState { unknown, waiting, running, done, failed, stopped, lost };

/// One rank of a run: what its log said.
struct RunRank {
  ProcessState state = ProcessState::unknown;
  LogReader reader;
  Series series;
  std::optional<Sample> first;
  std::optional<Sample> last;
  std::optional<Sample> best;                ///< The lowest finite loss.
  std::optional<Sample> first_not_finite;    ///< Where the loss was first nan or infinite.
  std::optional<GradientLine> bad_gradient;  ///< What ended the run, as this rank says.
  std::uint64_t loss_lines = 0;
  MetricLine metrics;                 ///< The last of each.
  std::uint64_t throughput_from = 0;  ///< The position at which its throughput was printed.
};

/// The loss of all ranks at one position (over `Run::stride()` positions).
struct MergedPoint {
  std::uint64_t position = 0;
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double min = 0;  ///< Over the ranks with a finite loss; the median is that of their means.
  double median = 0;
  double max = 0;
  std::uint32_t ranks = 0;       ///< How many ranks have a finite loss here...
  std::uint32_t not_finite = 0;  ///< ... and how many printed only nan or inf.
  std::int64_t time_ms = 0;      ///< Of the latest: see Sample.

  bool operator==(const MergedPoint&) const = default;
};

/// The whole run: the loss of every rank and step as far as printed. Bounded in memory: beyond
/// `point_budget` points in all, each point covers twice as many positions, for every rank alike; first,
/// last, best and first non-finite values stay exact. Not thread-safe.
class Run {
 public:
  static constexpr std::size_t default_point_budget = 1U << 20U;

  explicit Run(std::size_t point_budget = default_point_budget) : point_budget_(point_budget) {}

  /// How many ranks there are, when known: ranks without a line yet are then counted as well.
  void expect(std::uint32_t world_size);

  /// How many epochs there are, where that is known beside the lines.
  void expect_epochs(std::uint64_t epochs) { epochs_ = epochs; }

  /// Formats of the user's own, for what is fed from now on.
  void read_also(std::vector<LinePattern> patterns) {
    patterns_ = std::make_shared<const std::vector<LinePattern>>(std::move(patterns));
  }

  /// Bytes of a rank's log as they came, and when that was, in ms since the Unix epoch; 0: not known.
  void feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms = 0);

  /// Is called with each line of times and other metrics, at the position of the rank's last loss line.
  using MetricListener =
      std::function<void(std::uint32_t rank, std::uint64_t position, const MetricLine& line)>;
  void on_metrics(MetricListener listener) { metric_listener_ = std::move(listener); }

  /// The log of a rank ended (its last line may have no end) ...
  void finish(std::uint32_t rank);

  /// ... or begins anew (truncated): half a line is forgotten.
  void restart(std::uint32_t rank);

  void set_state(std::uint32_t rank, ProcessState state) { ranks_[rank].state = state; }

  const std::map<std::uint32_t, RunRank>& ranks() const { return ranks_; }
  bool has_loss() const { return lines_ > 0; }
  std::uint64_t stride() const { return stride_; }

  /// The highest epoch count and the steps of an epoch, where the lines tell.
  std::optional<std::uint64_t> epochs() const { return epochs_; }
  std::optional<std::uint64_t> steps_per_epoch() const { return clock_.steps_per_epoch(); }

  /// The position of the last step of the last epoch, where the lines tell.
  std::optional<std::uint64_t> length() const;

  /// All ranks merged, by position. Valid until the next change; computed only for what changed, so that of
  /// several threads that look at a run, one has to ask for this before the others do.
  const std::vector<MergedPoint>& merged() const;

  /// The last position of any rank, 0 without one.
  std::uint64_t position() const;

 private:
  LogListener listener_of(std::uint32_t number, RunRank& rank);
  void take_loss(RunRank& rank, const LossLine& line);
  void take_metrics(std::uint32_t number, RunRank& rank, const MetricLine& line);
  void keep_in_budget(const RunRank& rank);

  std::size_t point_budget_;
  LogReader::Patterns patterns_;
  MetricListener metric_listener_;
  std::map<std::uint32_t, RunRank> ranks_;
  StepClock clock_;
  std::optional<std::uint64_t> epochs_;
  std::uint64_t stride_ = 1;
  std::uint64_t lines_ = 0;
  std::int64_t feeding_ms_ = 0;  ///< When the bytes came that are being read.
  mutable std::vector<MergedPoint> merged_;
  mutable std::uint64_t stale_from_ = 0;  ///< From this bucket on merged_ must be made again.
};

}  // namespace adarun::monitor
