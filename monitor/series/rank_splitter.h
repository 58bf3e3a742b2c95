// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/rank_tag.h"

namespace adarun::monitor {

/// Tells the ranks apart that print into one log, by the tags before its lines.
///
/// The first lines with a loss decide. A tag that only launchers print ("[1,3]<stdout>:") is that of a rank,
/// and so is a heading ("==> worker_3.log <==") above the first loss. "[3] " and "3: " may be an epoch or a
/// step as well: they are ranks if numbers begin at 0 and the second one begins where the first did, or as
/// soon as numbers have twice fallen to one that was there before, as ranks take turns. After several lines
/// of the first number, the loss must have fallen clearly and leap back too, as one epoch continues the one
/// before; lines that tell an epoch and no step may be of folds. A rank behind the loss or in JSON may be a
/// metric: it is a rank where its own step rises and that of the log does not. Beyond 1 MiB of one number
/// the first line of another is looked for at the ends of the bytes that come. Lines that leave this open
/// are held back: at most 64 with a loss, for at most two seconds.
class RankSplitter {
 public:
  /// A process that prints into the log.
  struct Source {
    std::string label;
    std::optional<std::uint32_t> number;  ///< As its tag tells it.
    std::uint64_t lines = 0;
    std::uint64_t last_line = 0;  ///< Number of its last line in the log, from 1.
  };

  /// Receives whole lines, without tags, of one source; null: of the log's own rank.
  using Take = std::function<void(const Source* source, std::string_view lines)>;

  /// Takes bytes of the log, and the time when they came, in ms since the Unix epoch; 0: not known.
  void feed(std::string_view bytes, std::int64_t time_ms, const Take& take);

  /// Whether lines are held back since more than two seconds; those without a time are at any time.
  bool is_late(std::int64_t time_ms) const;
  std::int64_t held_since_ms() const { return held_since_ms_; }

  /// Passes on what is held back as lines of one rank.
  void pass_on_held(const Take& take);

  /// The same: no more bytes will come.
  void finish(const Take& take);

  /// The log begins again.
  void reset();

  /// Those that were told apart; fewer than two: the log is one rank's.
  const std::vector<Source>& sources() const { return sources_; }

  /// How many of the usual distances between its lines a source has been silent.
  double silence_of(const Source& source) const;

 private:
  enum class State { looking, one_label, holding, plain, split };

  struct Line {
    std::string_view text;
    std::optional<RankTag> tag;
    std::optional<LossLine> loss;
    bool is_training = false;
  };

  void take_lines(std::string_view lines, const Take& take);
  std::size_t decide(std::string_view lines);
  bool may_decide(std::string_view line) const;
  static Line look_at(std::string_view line);
  void note_last_losses(std::string_view lines);
  void weigh(const Line& line);
  bool begins_again(const Line& line);
  bool leaps_back() const;
  bool is_turn(const Line& line, std::uint32_t number) const;
  State judge(const Line& line);
  void hold(std::string_view lines, const Take& take);
  void release(State decision, const Take& take);
  void split(std::string_view lines, const Take& take);
  bool is_only_said(const RankTag& tag, std::string_view line) const;
  void split_by_headings(std::string_view lines, const Take& take);
  std::size_t index_of(const std::string& label, std::optional<std::uint32_t> number);

  State state_ = State::looking;
  base::LineCutter cutter_{base::log_lines};
  std::optional<RankTag::Kind> kind_;  ///< Of the tags that count.
  std::string first_label_;
  std::optional<std::uint32_t> first_number_;
  std::size_t looked_at_bytes_ = 0;            ///< Since that was seen.
  std::vector<LossLine> first_losses_;         ///< A few, of the first number, ...
  std::vector<LossLine> last_losses_;          ///< ... the last ones of the lines before another label, ...
  std::vector<LossLine> other_losses_;         ///< ... and the first ones of the second number.
  std::optional<LossLine> last_loss_;          ///< Of the lines held back, or before them.
  std::size_t first_label_lines_ = 0;          ///< With a loss.
  std::map<std::uint32_t, LossLine> numbers_;  ///< Of the lines held back and the first one: the last loss.
  std::optional<std::uint32_t> second_;        ///< The second of them, if ranks may begin with both.
  std::uint32_t last_number_ = 0;
  int turns_ = 0;  ///< How often a number that was there before followed a higher one.
  std::string held_;
  std::size_t held_losses_ = 0;
  std::int64_t held_since_ms_ = 0;
  std::int64_t now_ms_ = 0;
  std::uint64_t lines_ = 0;
  std::vector<Source> sources_;
  std::size_t headed_ = 0;  ///< The source of the last heading.
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace adarun::monitor
