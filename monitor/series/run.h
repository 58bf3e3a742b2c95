// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/parse/log_reader.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/metric_line.h"
#include "monitor/parse/text_decoder.h"
#include "monitor/series/rank_splitter.h"
#include "monitor/series/series.h"
#include "monitor/series/step_clock.h"

namespace adarun::monitor {

/// The state of a rank's process. `unknown` if only its log is known; `lost` if its state can no longer be
/// learnt, because its node or the launcher is gone. Set through Run::set_state from the launcher's events or
/// from job.json:
///   unknown or waiting  --its agent starts it-->                   running
///   waiting or running  --exit status 0-->                         done
///   waiting or running  --it ends otherwise, or cannot start-->    failed
///   running             --its agent ends it, to stop the job-->    stopped
///   running             --its node or the launcher is gone-->      lost
enum class ProcessState { unknown, waiting, running, done, failed, stopped, lost };

/// Whether the process is known to run no more, or will not be heard of again.
bool has_ended(ProcessState state);

/// One rank of a run: what its log reported.
struct RunRank {
  ProcessState state = ProcessState::unknown;
  LogReader reader;
  Series series;
  std::optional<Sample> first;
  std::optional<Sample> last;
  std::optional<Sample> best;                ///< The lowest finite loss.
  std::optional<Sample> first_not_finite;    ///< Where the loss was first nan or infinite.
  std::optional<GradientLine> bad_gradient;  ///< Why the run ended, as printed by this rank.
  Series validation;                         ///< Losses of validations, at the training's positions.
  std::optional<Sample> last_validation;
  std::uint64_t loss_lines = 0;
  std::uint64_t repeats = 0;  ///< Loss lines at the place of the one before with another loss, no bar's, ...
  std::uint64_t here = 0;     ///< ... those since the place is the same, ...
  std::uint64_t before = 0;   ///< ... and those at the place before, ...
  std::uint64_t alike = 0;    ///< ... all those at places with as many as the one before, ...
  std::uint64_t carries = 0;  ///< ... and lines at another place with its loss.
  bool varies = false;        ///< Not all of its losses are the same.
  MetricLine metrics;         ///< The last value of each.
  std::uint64_t throughput_from = 0;  ///< The position where its throughput was printed.
  std::int64_t written_ms = 0;        ///< When its log was last written, since the Unix epoch; 0: not known.
  std::optional<double> silence;      ///< In a log that ranks share: see RankSplitter::silence_of().
};

/// Whether several ranks, or the parts of a batch, seem to print in place of this one, without tags: most
/// steps come again at once with other losses, each as often.
bool seems_several(const RunRank& rank);

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

/// The whole run: the loss of every rank and step printed so far. A job that was started again is one run of
/// several attempts: what an attempt prints replaces what earlier ones printed from its first step on. Ranks
/// are those of the last attempt. Memory is bounded: beyond `point_budget`
/// points in total, each point covers twice as many positions, for all ranks. First, last, best and first
/// non-finite values stay exact. Not thread-safe.
class Run {
 public:
  static constexpr std::size_t default_point_budget = 1U << 20U;

  explicit Run(std::size_t point_budget = default_point_budget) : point_budget_(point_budget) {}

  /// Sets the number of ranks, if known, so that ranks without a line yet are counted as well.
  void expect(std::uint32_t world_size);

  /// Sets the number of epochs, if known from another source than the lines.
  void expect_epochs(std::uint64_t epochs) { epochs_ = epochs; }

  /// Adds the user's own formats, for everything fed from now on.
  void read_also(std::vector<LinePattern> patterns) {
    patterns_ = std::make_shared<const std::vector<LinePattern>>(std::move(patterns));
  }

  /// Takes bytes of a rank's log as they came, and the time when, in ms since the Unix epoch; 0: not known.
  /// Where the tags of its lines tell several ranks apart, they are those of these ranks; a number that
  /// another log has is not taken twice.
  void feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms = 0);

  /// Reads what was held back for two seconds to tell ranks apart: to be called where no bytes come, with the
  /// time in ms since the Unix epoch. False if there is none.
  bool pass_on_late(std::int64_t time_ms);

  /// When a rank's log was last written, in ms since the Unix epoch: for logs whose lines have no times.
  void set_written(std::uint32_t rank, std::int64_t time_ms);

  /// Called for each line with times or other metrics, with the position of the rank's last loss line.
  using MetricListener =
      std::function<void(std::uint32_t rank, std::uint64_t position, const MetricLine& line)>;
  void on_metrics(MetricListener listener) { metric_listener_ = std::move(listener); }

  /// The log of a rank ended; its last line may lack a line end.
  void finish(std::uint32_t rank);
  void finish_all();

  /// The log of a rank begins again (truncated): an incomplete line is dropped.
  void restart(std::uint32_t rank);

  /// The ranks have ended. What is fed from now on is printed by those of another attempt with this number;
  /// `change` says how it came about: see RunAttempt.
  void next_attempt(std::uint64_t number, std::string_view change);

  /// The attempts so far, at least one.
  const std::vector<RunAttempt>& attempts() const { return attempts_; }

  /// How many ranks of the attempt at this position have printed a loss; of the last attempt without those
  /// that ended before it, as the others may have continued.
  std::size_t ranks_with_loss(std::uint64_t position) const;

  /// What is left of the losses of attempts before the last one, in the order of attempts, then of ranks:
  /// those before the position where a later attempt began.
  const std::vector<PastRank>& past_ranks() const { return past_; }

  /// The losses of a rank, after those of the ranks of this number in earlier attempts.
  std::vector<Point> losses_of(std::uint32_t rank) const {
    return points_of(rank, &RunRank::series, &PastRank::losses);
  }

  /// The same of its validations.
  std::vector<Point> validations_of(std::uint32_t rank) const {
    return points_of(rank, &RunRank::validation, &PastRank::validations);
  }

  void set_state(std::uint32_t rank, ProcessState state) { rank_of(rank).state = state; }

  const std::map<std::uint32_t, RunRank>& ranks() const { return ranks_; }

  /// Whether all losses of a rank are 0 or -1, as earlier stages of a pipeline print them, those of half the
  /// ranks at least, while others vary. Such ranks are left out of merged().
  bool is_placeholder(const RunRank& rank) const;
  bool has_loss() const { return lines_ > 0; }
  std::uint64_t stride() const { return stride_; }

  /// The highest epoch count and the steps of an epoch, if the lines contain them.
  std::optional<std::uint64_t> epochs() const { return epochs_; }
  std::optional<std::uint64_t> steps_per_epoch() const {
    return clock_.counts_whole_run() ? std::nullopt : clock_.steps_per_epoch();
  }

  /// The position of the last step of the last epoch, if known.
  std::optional<std::uint64_t> length() const;

  /// All ranks merged, by position. Valid until the next change. Updates a cache if the run has changed;
  /// before several threads read the run at once, one thread must call this and merged_validation().
  const std::vector<MergedPoint>& merged() const {
    return merged_of(losses_, &RunRank::series, &PastRank::losses);
  }

  /// The same of the validations' losses. Empty if no line reports one.
  const std::vector<MergedPoint>& merged_validation() const {
    return merged_of(validations_, &RunRank::validation, &PastRank::validations);
  }

  /// The highest last position of all ranks, else that of the attempt before; 0 if there is none.
  std::uint64_t position() const;

 private:
  /// A log and the ranks that print into it.
  struct Log {
    TextDecoder decoder;
    RankSplitter splitter;
    std::optional<std::uint32_t> own;  ///< The rank of lines without a tag, and of the first tag.
    std::map<std::string, std::uint32_t> by_label;    ///< The others too, by their tags.
    std::map<std::uint32_t, std::string> unnumbered;  ///< Labels that have told no number yet, by rank.
  };

  RunRank& rank_of(std::uint32_t rank);
  bool pass_on_late(std::uint32_t rank, Log& log, std::int64_t time_ms);
  RankSplitter::Take reader_of(std::uint32_t log);
  void read(std::uint32_t rank, std::string_view lines);
  std::uint32_t rank_for(std::uint32_t log, const RankSplitter::Source* source);
  std::uint32_t claim(std::optional<std::uint32_t> wanted);
  void clear_curves();
  void number_late(Log& log, const RankSplitter::Source& source);
  void rename(std::uint32_t rank, std::uint32_t wanted);
  void note_silence(const Log& log);
  LogListener listener_of(std::uint32_t number, RunRank& rank);
  void take_loss(RunRank& rank, const LossLine& line);
  void compare_with_last(RunRank& rank, const Sample& sample, bool of_bar);
  void note_begin(const Sample& sample);
  void cut_past(std::uint64_t position);
  void count_points();
  void coarsen();
  void take_validation(RunRank& rank, const LossLine& line);
  void take_metrics(std::uint32_t number, RunRank& rank, const MetricLine& line);
  void add(RunRank& rank, Series RunRank::*series, const Sample& sample);
  void keep_in_budget(const RunRank& rank);
  std::vector<Point> points_of(std::uint32_t rank, Series RunRank::*series, Series PastRank::*past) const;
  const std::vector<MergedPoint>& merged_of(MergedCurve& curve, Series RunRank::*series,
                                            Series PastRank::*past) const;

  std::size_t point_budget_;
  std::size_t points_ = 0;  ///< Of all ranks, past ones too.
  LogReader::Patterns patterns_;
  MetricListener metric_listener_;
  std::map<std::uint32_t, RunRank> ranks_;
  std::map<std::uint32_t, Log> logs_;  ///< By the ranks that feed() is given.
  std::set<std::uint32_t> claimed_;    ///< The ranks that have a log.
  std::uint32_t expected_ = 0;
  std::vector<RunAttempt> attempts_{RunAttempt{}};
  std::vector<PastRank> past_;
  StepClock clock_;
  std::optional<std::uint64_t> epochs_;
  std::optional<std::uint64_t> steps_;  ///< Of the whole run, where lines tell it.
  std::uint64_t stride_ = 1;
  std::uint64_t lines_ = 0;
  std::size_t constants_ = 0;    ///< Ranks that have printed only 0, or only -1, ...
  std::size_t varying_ = 0;      ///< ... and those with several losses.
  std::int64_t feeding_ms_ = 0;  ///< When the bytes being read arrived.
  mutable MergedCurve losses_;
  mutable MergedCurve validations_;
};

}  // namespace adarun::monitor
