// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/log_reader.h"

#include <algorithm>
#include <string>

#include "monitor/base/text.h"
#include "monitor/parse/keyword.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

bool has_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_word);
}

void put_place(const LossLine& place, LossLine& line) {
  const double loss = line.loss;
  line = place;
  line.loss = loss;
}

bool is_indented(std::string_view line) {
  return line.starts_with(' ') || line.starts_with('\t');
}

constexpr std::size_t most_shapes = 4;
constexpr std::size_t most_bytes_above = 2048;  // How far above a loss its step may stand.
constexpr std::size_t npos = std::string_view::npos;

// The beginning of the line that contains `at`; not before `least`.
std::size_t line_begin(std::string_view lines, std::size_t least, std::size_t at) {
  while (at > least && !ends_line(lines[at - 1])) --at;
  return at;
}

}  // namespace

std::optional<EpochLine> parse_epoch_line(std::string_view text) {
  std::string buffer;
  const std::string_view line = visible_text(text, buffer);
  Scan scan(line);
  const std::string_view word = scan.next_word();
  if (!same_word(word, "epoch") || has_word(line.substr(0, line.size() - scan.rest().size() - word.size())))
    return std::nullopt;
  const auto epoch = take_labelled(scan);
  if (!epoch || has_word(scan.rest())) return std::nullopt;
  return EpochLine{epoch->value, epoch->total};
}

void EpochHeading::begin(const EpochLine& line) {
  line_ = line;
  steps_.reset();
}

bool EpochHeading::complete(LossLine& line) {
  line.epoch = line_->epoch;
  line.epochs = line_->epochs;
  if (!line.steps_per_epoch) return true;
  if (!steps_) steps_ = line.steps_per_epoch;
  return steps_ == line.steps_per_epoch;
}

void LogReader::feed(std::string_view bytes, const LogListener& listener) {
  cutter_.feed(bytes, [&](std::string_view lines) { read_lines(lines, listener); });
}

void LogReader::finish(const LogListener& listener) {
  cutter_.finish([&](std::string_view lines) { read_lines(lines, listener); });
}

void LogReader::read_lines(std::string_view lines, const LogListener& listener) {
  if (!patterns_) {
    read_known_lines(lines, listener);
    keep_end_of(lines);
    return;
  }
  base::for_each_line(lines, base::log_lines.end, [&](std::string_view line) {
    const std::string_view text = line.substr(0, std::min(line.size() - 1, base::log_lines.max_bytes));
    if (!text.empty() && !read_by_pattern(text, listener)) read_known_lines(line, listener);
    keep_end_of(line);
  });
}

void LogReader::keep_end_of(std::string_view lines) {
  if (lines.size() >= most_bytes_above) {
    above_.assign(lines.substr(lines.size() - most_bytes_above));
    return;
  }
  const std::size_t size = above_.size() + lines.size();
  if (size > 2 * most_bytes_above) above_.erase(0, size - most_bytes_above);
  above_ += lines;
}

// The place that the last line tells that is not indented, and has no loss of its own. Another loss below it
// has taken that place.
LossLine LogReader::place_above(std::string_view lines_before) const {
  const std::size_t kept = most_bytes_above - std::min(lines_before.size(), most_bytes_above);
  std::string text = above_.substr(above_.size() - std::min(kept, above_.size()));
  text += lines_before.substr(lines_before.size() - std::min(lines_before.size(), most_bytes_above));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = base::last_line(rest, base::log_lines.end);
    if (line.empty()) break;
    const auto begin = static_cast<std::size_t>(line.data() - rest.data());
    const bool is_whole = begin > 0 || text.size() < most_bytes_above;
    if (!is_indented(line)) {
      std::string buffer;  // A colour counts as a keyword.
      const std::string_view shown = visible_text(line, buffer);
      return is_whole && find_keyword(shown, 0) == npos ? parse_place(shown) : LossLine{};
    }
    if (find_keyword(line, 0) != npos && parse_losses(line).training) break;
    rest = rest.substr(0, begin);
  }
  return {};
}

bool LogReader::read_by_pattern(std::string_view line, const LogListener& listener) const {
  for (const LinePattern& pattern : *patterns_) {
    const auto match = pattern.read(line);
    if (!match) continue;
    if (match->loss) listener.loss(*match->loss);
    if (match->metrics) listener.metrics(*match->metrics);
    if (match->validation) listener.validation(*match->validation);
    return true;
  }
  return false;
}

void LogReader::read_known_lines(std::string_view lines, const LogListener& listener) {
  for (std::size_t at = 0; at < lines.size();) {
    if (ends_line(lines[at])) {
      ++at;
      continue;
    }
    if (read_by_shape(lines, at, listener)) continue;
    const std::size_t word = find_keyword(lines, at);
    if (word == npos) return;
    const std::size_t begin = line_begin(lines, at, word);
    const bool is_elsewhere = begin > at;
    at = begin;
    if (is_elsewhere && read_by_shape(lines, at, listener)) continue;
    const std::size_t length = base::line_length(lines.substr(at), base::log_lines.end);
    read_line(lines, at, std::min(length, base::log_lines.max_bytes), listener);
    at += length + 1;
  }
}

// Reads the lines at `at` that have a known shape and moves past them; false if there are none.
bool LogReader::read_by_shape(std::string_view lines, std::size_t& at, const LogListener& listener) {
  const std::size_t begin = at;
  for (LossShape& shape : shapes_) {
    LossLine line;
    while (at < lines.size()) {
      const std::size_t length = shape.read(lines.substr(at), line);
      if (length == npos) break;
      report(line, listener);
      at += length + 1;
      if (at < lines.size() && ends_line(lines[at])) ++at;  // the rest of "\r\n"
    }
  }
  return at > begin;
}

// Reads the line of this length at `at`.
void LogReader::read_line(std::string_view lines, std::size_t at, std::size_t length,
                          const LogListener& listener) {
  const std::string_view line = lines.substr(at, length);
  LineLosses losses = parse_losses(line);
  if (losses.training) {
    LossLine& loss = *losses.training;
    const bool may_be_above = is_indented(line) && !loss.epoch && !loss.step;
    if (may_be_above)
      put_place(place_above(lines.substr(0, at)), loss);
    else
      learn(line, losses.places);
    report(loss, listener);
  } else if (const auto metrics = parse_metric_line(line)) {
    listener.metrics(*metrics);
  } else if (const auto gradient = parse_gradient_line(line)) {
    listener.gradient(*gradient);
  } else if (const auto epoch = parse_epoch_line(line)) {
    heading_.begin(*epoch);
  }
  if (losses.validation) report_validation(*losses.validation, listener);
}

void LogReader::report(const LossLine& line, const LogListener& listener) {
  if (!heading_.holds_for(line)) return listener.loss(line);
  LossLine whole = line;
  if (heading_.complete(whole)) return listener.loss(whole);
  whole.step.reset();
  whole.steps_per_epoch.reset();
  listener.validation(whole);
}

void LogReader::report_validation(LossLine line, const LogListener& listener) {
  if (heading_.holds_for(line)) heading_.complete(line);
  listener.validation(line);
}

void LogReader::learn(std::string_view line, const LossPlaces& places) {
  auto shape = LossShape::of(line, places);
  if (!shape) return;
  if (shapes_.size() < most_shapes) {
    shapes_.push_back(std::move(*shape));
  } else {
    shapes_[oldest_] = std::move(*shape);
    oldest_ = (oldest_ + 1) % most_shapes;
  }
}

}  // namespace adarun::monitor
