// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/rank_splitter.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "monitor/base/text.h"
#include "monitor/parse/keyword.h"
#include "monitor/parse/log_reader.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t most_held_losses = 64;
constexpr std::size_t most_held_bytes = 64U << 10U;
constexpr std::int64_t most_held_ms = 2000;
constexpr std::size_t most_looked_at_bytes = 1U << 20U;  // Of one label, before it is taken for the only one.
constexpr std::size_t most_sources = 1U << 14U;  // Lines of others are passed on as those of the first.
constexpr std::size_t most_in_list = 1024;
constexpr int enough_turns = 2;
constexpr std::size_t few_losses = 5;

// Where the first heading begins; npos if there is none.
std::size_t find_heading(std::string_view lines, std::size_t from) {
  for (std::size_t at = from; (at = lines.find("==> ", at)) != std::string_view::npos; ++at) {
    const std::string_view rest = lines.substr(at);
    const bool begins = at == 0 || ends_line(lines[at - 1]);
    if (!begins) continue;
    const auto tag = heading_tag_of(rest.substr(0, base::line_length(rest, base::log_lines.end)));
    if (tag && tag->number) return at;
  }
  return std::string_view::npos;
}

bool has_place(const LossLine& line) {
  return line.epoch || line.step;
}

bool is_at(const LossLine& line, const LossLine& other) {
  return line.epoch == other.epoch && line.step == other.step;
}

bool is_behind(const LossLine& line, const LossLine& other) {
  return std::tie(line.epoch, line.step) > std::tie(other.epoch, other.step);
}

struct Level {
  double mean = 0;
  double variance = 0;  // Of the losses.
};

Level level_of(const std::vector<LossLine>& losses) {
  Level level;
  const auto count = static_cast<double>(losses.size());
  for (const LossLine& each : losses) level.mean += each.loss / count;
  for (const LossLine& each : losses)
    level.variance += (each.loss - level.mean) * (each.loss - level.mean) / (count - 1);
  return level;
}

void keep_few(std::vector<LossLine>& last, const LossLine& loss) {
  if (last.size() == few_losses) last.erase(last.begin());
  last.push_back(loss);
}

}  // namespace

void RankSplitter::feed(std::string_view bytes, std::int64_t time_ms, const Take& take) {
  now_ms_ = time_ms;
  cutter_.feed(bytes, [&](std::string_view lines) { take_lines(lines, take); });
}

bool RankSplitter::is_late(std::int64_t time_ms) const {
  return state_ == State::holding && time_ms - held_since_ms_ > most_held_ms;
}

void RankSplitter::pass_on_held(const Take& take) {
  if (state_ == State::holding) release(State::plain, take);
}

void RankSplitter::finish(const Take& take) {
  cutter_.finish([&](std::string_view lines) { take_lines(lines, take); });
  pass_on_held(take);
}

void RankSplitter::reset() {
  cutter_.reset();
  held_.clear();
  if (state_ == State::holding) state_ = State::plain;
}

double RankSplitter::silence_of(const Source& source) const {
  if (source.lines == 0) return 0;
  const double usual = static_cast<double>(source.last_line) / static_cast<double>(source.lines);
  return static_cast<double>(lines_ - source.last_line) / usual;
}

void RankSplitter::take_lines(std::string_view lines, const Take& take) {
  if (state_ == State::looking || state_ == State::one_label) {
    const std::size_t end = decide(lines);
    if (end > 0) take(nullptr, lines.substr(0, end));
    lines.remove_prefix(end);
  }
  if (lines.empty()) return;
  if (state_ == State::plain) take(nullptr, lines);
  if (state_ == State::split) split(lines, take);
  if (state_ == State::holding) hold(lines, take);
}

// Looks for the lines that decide. Returns where the state has changed; the length of `lines` if it has not.
std::size_t RankSplitter::decide(std::string_view lines) {
  std::size_t at = 0;
  if (looked_at_bytes_ > most_looked_at_bytes && !may_decide(base::last_line(lines, base::log_lines.end)))
    at = lines.size();
  while (at < lines.size()) {
    std::size_t begin = at;
    if (state_ == State::looking) {  // Only lines with a keyword tell something, and headings.
      for (begin = std::min(find_keyword(lines, at), lines.size()); begin > at; --begin)
        if (ends_line(lines[begin - 1])) break;
    }
    const std::size_t length = base::line_length(lines.substr(begin), base::log_lines.end);
    const std::size_t heading =
        state_ == State::looking ? find_heading(lines.substr(0, begin + length), at) : std::string_view::npos;
    if (heading != std::string_view::npos) {
      kind_ = RankTag::Kind::heading;
      state_ = State::split;
      return heading;
    }
    if (begin == lines.size()) break;
    const std::string_view line = lines.substr(begin, length);
    if (may_decide(line)) weigh(look_at(line));
    if (state_ == State::one_label) looked_at_bytes_ += line.size();
    if (state_ == State::holding) note_last_losses(lines.substr(0, begin));
    if (state_ != State::looking && state_ != State::one_label) return begin;
    at = std::min(begin + length + 1, lines.size());
  }
  if (state_ == State::one_label) note_last_losses(lines);
  return lines.size();
}

// Keeps the last losses of the only label so far.
void RankSplitter::note_last_losses(std::string_view lines) {
  std::vector<LossLine> last;  // The very last one first.
  while (!lines.empty() && last.size() < few_losses) {
    const std::string_view line = base::last_line(lines, base::log_lines.end);
    if (line.empty()) break;
    if (find_keyword(line, 0) != std::string_view::npos)
      if (const Line seen = look_at(line); seen.loss && seen.is_training) last.push_back(*seen.loss);
    lines = lines.substr(0, static_cast<std::size_t>(line.data() - lines.data()));
  }
  for (auto loss = last.rbegin(); loss != last.rend(); ++loss) keep_few(last_losses_, *loss);
  if (!last.empty()) last_loss_ = last.front();
}

// Lines of the one rank that is known are passed over without a closer look, but for its first few losses.
bool RankSplitter::may_decide(std::string_view line) const {
  if (state_ == State::looking) return true;
  if (first_label_lines_ < few_losses) return find_keyword(line, 0) != std::string_view::npos;
  if (*kind_ == RankTag::Kind::text) {
    const auto tag = rank_tag_of(line);
    return (!tag || tag->label != first_label_) && find_keyword(line, 0) != std::string_view::npos;
  }
  const std::size_t behind_bracket = *kind_ == RankTag::Kind::bracket ? 1 : 0;
  if (line.size() > behind_bracket + first_label_.size() &&
      line.substr(behind_bracket).starts_with(first_label_) &&
      !is_word(line[behind_bracket + first_label_.size()]))
    return false;
  return find_keyword(line, 0) != std::string_view::npos;
}

RankSplitter::Line RankSplitter::look_at(std::string_view line) {
  Line seen{.text = line, .tag = rank_tag_of(line), .loss = {}};
  if (seen.tag) seen.text.remove_prefix(seen.tag->length);
  LineLosses losses = parse_losses(seen.text);
  if (seen.tag && !losses.training &&
      !losses.validation) {  // Of darknet's "8001: 0.5, 0.6 avg, ..." it is a part.
    losses = parse_losses(line);
    if (losses.training || losses.validation) seen.tag.reset();
  }
  seen.is_training = losses.training.has_value();
  seen.loss = seen.is_training ? losses.training : losses.validation;
  return seen;
}

void RankSplitter::weigh(const Line& line) {
  const bool is_ranks = line.tag && line.tag->certain() && (!kind_ || line.tag->kind == *kind_);
  const bool is_heading = is_ranks && parse_epoch_line(line.text);
  if (!line.loss && !is_heading && !(is_ranks && line.tag->kind == RankTag::Kind::stream)) return;
  if (!line.tag || (kind_ && line.tag->kind != *kind_)) {
    state_ = State::plain;
    return;
  }
  const bool is_first = !kind_;
  kind_ = line.tag->kind;
  if (is_ranks) {
    state_ = State::split;
  } else if (is_first && !line.tag->is_list) {
    state_ = State::one_label;
    first_label_ = line.tag->label;
    first_number_ = line.tag->number;
    first_losses_ = {*line.loss};
    last_loss_ = line.loss;
    first_label_lines_ = 1;
    last_number_ = line.tag->number.value_or(0);
  } else if (line.tag->label != first_label_) {
    state_ = State::holding;
    held_since_ms_ = now_ms_;
  } else {
    ++first_label_lines_;
    if (line.is_training && first_losses_.size() < few_losses) first_losses_.push_back(*line.loss);
  }
}

// What the line says that is next to the ones held back; it has a loss.
RankSplitter::State RankSplitter::judge(const Line& line) {
  if (!line.tag || line.tag->kind != *kind_) return State::plain;
  const std::uint32_t number = line.tag->number.value_or(0);
  if (numbers_.empty()) numbers_[last_number_] = *last_loss_;
  const bool is_second = !numbers_.contains(number) && numbers_.size() == 1;
  if (is_second && (number == 0 || last_number_ == 0)) second_ = number;
  if (second_ == number && numbers_.size() <= 2 && begins_again(line)) return State::split;
  if (is_turn(line, number)) ++turns_;
  numbers_[number] = *line.loss;
  if (numbers_.size() == 1) {
    first_losses_ = {*line.loss};
    ++first_label_lines_;
  }
  if (line.is_training) last_loss_ = line.loss;
  last_number_ = number;
  return turns_ >= enough_turns ? State::split : State::holding;
}

// Whether the second number begins where the first did. If others came between, the number may be an epoch,
// or that of a fold, unless its word tells that it is a rank, or the losses tell it too.
bool RankSplitter::begins_again(const Line& line) {
  const LossLine& loss = *line.loss;
  const bool is_text = *kind_ == RankTag::Kind::text;
  const bool is_named = is_text && !line.tag->may_be_metric;
  const bool is_host = *kind_ == RankTag::Kind::host && loss.epoch;
  if (!has_place(loss) || !last_loss_ || (line.tag->may_be_metric && (!line.is_training || !loss.step)))
    return false;
  const bool is_first = other_losses_.empty();
  other_losses_.push_back(loss);
  if (is_first && first_label_lines_ == 1) return is_at(loss, first_losses_.front());
  if (is_named || is_host) return is_first && !is_behind(loss, *last_loss_);
  return loss.step && other_losses_.size() == few_losses && leaps_back();
}

// Whether the loss of the first number has fallen by far more than it varies, and that of the second begins
// at the same step as the first did, and as high.
bool RankSplitter::leaps_back() const {
  const bool are_apart = first_losses_.size() == few_losses && last_losses_.size() == few_losses &&
                         is_behind(last_losses_.front(), first_losses_.back());
  if (!are_apart || !is_at(other_losses_.front(), first_losses_.front())) return false;
  const Level first = level_of(first_losses_);
  const Level last = level_of(last_losses_);
  const double fall = first.mean - last.mean;
  const double chance = std::sqrt((first.variance + last.variance) / few_losses);
  return fall > 7 * chance && fall > 0.1 * std::abs(first.mean) &&
         std::abs(level_of(other_losses_).mean - first.mean) < fall / 4;
}

// Whether a number comes again that was there before, after a higher one or instead of a further step.
bool RankSplitter::is_turn(const Line& line, std::uint32_t number) const {
  const auto before = numbers_.find(number);
  const bool falls = before != numbers_.end() && number < last_number_;
  if (*kind_ != RankTag::Kind::text) return falls;
  if (falls && !line.tag->may_be_metric) return true;
  const bool may_tell = line.is_training && last_loss_ && number != last_number_ && has_place(*line.loss);
  if (!may_tell || is_behind(*line.loss, *last_loss_)) return false;
  if (!line.tag->may_be_metric) return true;
  return line.loss->step && before != numbers_.end() && is_behind(*line.loss, before->second);
}

void RankSplitter::hold(std::string_view lines, const Take& take) {
  State decision = State::holding;
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    held_ += line;
    if (decision != State::holding) return;
    const bool may_tell = find_keyword(line, 0) != std::string_view::npos;
    const Line seen = may_tell ? look_at(line.substr(0, line.size() - 1)) : Line{};
    if (seen.loss) {
      ++held_losses_;
      decision = judge(seen);
    }
    const bool is_full = held_losses_ > most_held_losses || held_.size() > most_held_bytes;
    if (decision == State::holding && is_full) decision = State::plain;
  });
  if (decision != State::holding) release(decision, take);
}

void RankSplitter::release(State decision, const Take& take) {
  state_ = decision;
  const std::string lines = std::exchange(held_, {});
  if (decision == State::split)
    split(lines, take);
  else
    take(nullptr, lines);
}

// Lines without a tag, such as the launcher's own, are passed on as those of the first source.
void RankSplitter::split(std::string_view lines, const Take& take) {
  if (*kind_ == RankTag::Kind::heading) return split_by_headings(lines, take);
  if (sources_.empty() && !first_label_.empty()) {
    index_of(first_label_, first_number_);
  }
  std::string text;  // Of lines of one source, one behind the other.
  std::size_t source = 0;
  const auto pass_on = [&] {
    if (!text.empty()) take(sources_.empty() ? nullptr : &sources_[source], text);
    text.clear();
  };
  const auto add = [&](std::size_t its_source, bool counts, std::string_view line) {
    if (its_source != source) pass_on();
    source = its_source;
    if (counts) ++sources_[source].lines;
    if (counts) sources_[source].last_line = lines_;
    text += line;
  };
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    ++lines_;
    const auto tag = rank_tag_of(line);
    if (!tag || tag->kind != *kind_ || is_only_said(*tag, line)) return add(0, false, line);
    line.remove_prefix(std::min(tag->length, line.size() - 1));
    if (!tag->is_list) return add(index_of(std::string(tag->label), tag->number), true, line);
    const bool is_for_all = find_keyword(line, 0) != std::string_view::npos;
    for_each_rank_in(tag->label, is_for_all ? most_in_list : 1,
                     [&](std::uint32_t rank) { add(index_of(std::to_string(rank), rank), true, line); });
  });
  pass_on();
}

// Whether a message names a rank that has printed no loss, as that of another process.
bool RankSplitter::is_only_said(const RankTag& tag, std::string_view line) const {
  return tag.kind == RankTag::Kind::text && !index_.contains(std::string(tag.label)) && !look_at(line).loss;
}

void RankSplitter::split_by_headings(std::string_view lines, const Take& take) {
  const auto pass_on = [&](std::string_view its_lines) {
    if (its_lines.empty()) return;
    const bool is_of_rank = sources_[headed_].number || sources_[headed_].lines > 0;
    if (!is_of_rank && find_keyword(its_lines, 0) == std::string_view::npos) return;
    sources_[headed_].lines += static_cast<std::uint64_t>(std::ranges::count_if(its_lines, ends_line));
    sources_[headed_].last_line = lines_;
    take(&sources_[headed_], its_lines);
  };
  std::size_t begin = 0;  // Of the lines that are not passed on yet.
  std::size_t at = 0;
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    const auto tag = heading_tag_of(line);
    const std::size_t here = at;
    at += line.size();
    if (tag) pass_on(lines.substr(begin, here - begin));
    ++lines_;
    if (!tag) return;
    headed_ = index_of(std::string(tag->label), tag->number);
    begin = at;
  });
  pass_on(lines.substr(std::min(begin, lines.size())));
}

std::size_t RankSplitter::index_of(const std::string& label, std::optional<std::uint32_t> number) {
  if (const auto found = index_.find(label); found != index_.end()) {
    if (number) sources_[found->second].number = number;
    return found->second;
  }
  if (sources_.size() == most_sources) return 0;
  index_.emplace(label, sources_.size());
  sources_.push_back({label, number});
  return sources_.size() - 1;
}

}  // namespace adarun::monitor
