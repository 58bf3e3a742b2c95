// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/rank_splitter.h"

#include <algorithm>
#include <utility>

#include "monitor/base/text.h"
#include "monitor/parse/keyword.h"
#include "monitor/parse/log_reader.h"
#include "monitor/parse/loss_line.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t most_held_losses = 64;
constexpr std::size_t most_held_bytes = 64U << 10U;
constexpr std::int64_t most_held_ms = 2000;
constexpr std::size_t most_looked_at_bytes = 1U << 20U;  // Of one label, before it is taken for the only one.
constexpr std::size_t most_sources = 1U << 14U;  // Lines of others are passed on as those of the first.
constexpr std::size_t most_in_list = 1024;
constexpr int enough_turns = 2;

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
  while (at < lines.size()) {
    std::size_t begin = at;
    if (state_ == State::looking) {  // Only lines with a keyword tell something.
      begin = find_keyword(lines, at);
      if (begin == std::string_view::npos) return lines.size();
      while (begin > at && !ends_line(lines[begin - 1])) --begin;
    }
    const std::size_t length = base::line_length(lines.substr(begin), base::log_lines.end);
    const std::string_view line = lines.substr(begin, length);
    if (may_decide(line)) weigh(look_at(line));
    if (state_ == State::one_label) looked_at_bytes_ += line.size();
    if (looked_at_bytes_ > most_looked_at_bytes && state_ == State::one_label) state_ = State::plain;
    if (state_ != State::looking && state_ != State::one_label) return begin;
    at = std::min(begin + length + 1, lines.size());
  }
  return lines.size();
}

// Lines of the one rank that is known are passed over without a closer look, but for its first two losses.
bool RankSplitter::may_decide(std::string_view line) const {
  if (state_ == State::looking) return true;
  if (first_label_lines_ < 2) return find_keyword(line, 0) != std::string_view::npos;
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
  Line seen{.text = line, .tag = rank_tag_of(line), .place = {}};
  if (seen.tag) seen.text.remove_prefix(seen.tag->length);
  LineLosses losses = parse_losses(seen.text);
  if (seen.tag && !losses.training &&
      !losses.validation) {  // Of darknet's "8001: 0.5, 0.6 avg, ..." it is a part.
    losses = parse_losses(line);
    if (losses.training || losses.validation) seen.tag.reset();
  }
  const auto& loss = losses.training ? losses.training : losses.validation;
  seen.has_loss = loss.has_value();
  if (loss && (loss->epoch || loss->step)) seen.place = Place{loss->epoch, loss->step};
  return seen;
}

void RankSplitter::weigh(const Line& line) {
  const bool is_ranks = line.tag && line.tag->certain() && (!kind_ || line.tag->kind == *kind_);
  const bool is_heading = is_ranks && parse_epoch_line(line.text);
  if (!line.has_loss && !is_heading && !(is_ranks && line.tag->kind == RankTag::Kind::stream)) return;
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
    first_place_ = line.place;
    first_label_lines_ = 1;
    last_number_ = line.tag->number.value_or(0);
    numbers_ = {last_number_};
  } else if (line.tag->label != first_label_) {
    state_ = State::holding;
    held_since_ms_ = now_ms_;
  } else {
    ++first_label_lines_;
  }
}

// What the line says that is next to the ones held back.
RankSplitter::State RankSplitter::judge(const Line& line) {
  if (!line.tag || line.tag->kind != *kind_) return State::plain;
  const std::uint32_t number = line.tag->number.value_or(0);
  const bool is_new = numbers_.insert(number).second;
  const bool is_second = is_new && numbers_.size() == 2 && first_label_lines_ == 1;
  const bool from_zero = number == 0 || last_number_ == 0;
  if (is_second && from_zero && line.place && line.place == first_place_) return State::split;
  if (!is_new && number < last_number_) ++turns_;
  if (numbers_.size() == 1) {
    first_place_ = line.place;
    ++first_label_lines_;
  }
  last_number_ = number;
  return turns_ >= enough_turns ? State::split : State::holding;
}

void RankSplitter::hold(std::string_view lines, const Take& take) {
  State decision = State::holding;
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    held_ += line;
    if (decision != State::holding) return;
    const bool may_tell = find_keyword(line, 0) != std::string_view::npos;
    const Line seen = may_tell ? look_at(line.substr(0, line.size() - 1)) : Line{};
    if (seen.has_loss) {
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
  if (sources_.empty() && !first_label_.empty()) {
    index_of(first_label_, first_number_);
  }
  std::string text;  // Of lines of one source, one behind the other.
  std::size_t source = 0;
  const auto pass_on = [&] {
    if (!text.empty()) take(sources_.empty() ? nullptr : &sources_[source], text);
    text.clear();
  };
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    ++lines_;
    const auto tag = rank_tag_of(line);
    const bool counts = tag && tag->kind == *kind_;
    if (counts) line.remove_prefix(std::min(tag->length, line.size() - 1));
    const bool is_for_all = counts && tag->is_list && find_keyword(line, 0) != std::string_view::npos;
    const std::size_t most = is_for_all ? most_in_list : 1;
    for (const std::size_t its_source : counts ? sources_of(*tag, most) : std::vector<std::size_t>{0}) {
      if (its_source != source) pass_on();
      source = its_source;
      if (counts) ++sources_[source].lines;
      if (counts) sources_[source].last_line = lines_;
      text += line;
    }
  });
  pass_on();
}

std::vector<std::size_t> RankSplitter::sources_of(const RankTag& tag, std::size_t most) {
  if (!tag.is_list) return {index_of(std::string(tag.label), tag.number)};
  std::vector<std::size_t> sources;
  for_each_rank_in(tag.label, most,
                   [&](std::uint32_t rank) { sources.push_back(index_of(std::to_string(rank), rank)); });
  return sources;
}

std::size_t RankSplitter::index_of(const std::string& label, std::optional<std::uint32_t> number) {
  if (const auto found = index_.find(label); found != index_.end()) return found->second;
  if (sources_.size() == most_sources) return 0;
  index_.emplace(label, sources_.size());
  sources_.push_back({label, number});
  return sources_.size() - 1;
}

}  // namespace adarun::monitor
