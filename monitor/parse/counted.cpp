// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/counted.h"

#include <algorithm>

#include "monitor/base/characters.h"

namespace adarun::monitor {
namespace {

// Reads a count and sets `text` to its characters.
std::optional<std::uint64_t> take_count(Scan& scan, std::string_view& text) {
  const Scan before = scan;
  const auto count = scan.take_count();
  if (count) text = scan.since(before);
  return count;
}

std::optional<Counted> tqdm_step(std::string_view line) {
  const std::size_t percent = line.find("%|");
  if (percent == 0 || percent == std::string_view::npos || !is_digit(line[percent - 1])) return std::nullopt;
  const std::size_t bar_end = line.find('|', percent + 2);
  if (bar_end == std::string_view::npos) return std::nullopt;
  Scan scan(line.substr(bar_end + 1));
  scan.skip_spaces();
  if (scan.rest().starts_with("[")) return std::nullopt;
  const auto step = take_counted(scan);
  scan.skip_spaces();
  return step && step->total && scan.rest().starts_with("[") ? step : std::nullopt;
}

// Whether one of Keras's bars, or in its place the time, is at the beginning of `text`.
bool has_keras_bar(std::string_view text) {
  for (const std::string_view bar : {"[=", "[>", "[.", "\xe2\x94\x81"})
    if (text.starts_with(bar)) return true;
  if (!text.starts_with("- ")) return false;
  text.remove_prefix(std::min(text.find_first_not_of("- "), text.size()));
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && text[digits] == 's';
}

std::optional<Counted> keras_step(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\b"), line.size()));
  if (line.empty() || !is_digit(line.front())) return std::nullopt;
  Scan scan(line);
  const auto step = take_counted(scan);
  scan.skip_spaces();
  if (!step || !step->total || !has_keras_bar(scan.rest())) return std::nullopt;
  return scan.rest().find("/sample") == std::string_view::npos ? step : std::nullopt;
}

}  // namespace

std::optional<Counted> take_counted(Scan& scan) {
  Scan ahead = scan;
  const bool bracket = ahead.take('[');
  ahead.skip_spaces();
  Counted counted;
  const auto value = take_count(ahead, counted.text);
  if (!value) return std::nullopt;
  counted.value = *value;
  ahead.skip_spaces();
  if (ahead.take('/')) {
    ahead.skip_spaces();
    counted.total = take_count(ahead, counted.total_text);
    if (!counted.total) return std::nullopt;
    ahead.skip_spaces();
  }
  if (bracket && !ahead.take(']')) return std::nullopt;
  scan = ahead;
  return counted;
}

Separator take_separator(Scan& scan) {
  Separator separator;
  const char quote = scan.rest().empty() ? '\0' : scan.rest().front();
  separator.quoted = (quote == '\'' || quote == '"') && scan.take(quote);
  scan.skip_spaces();
  separator.marked = scan.take(':') || scan.take('=');
  scan.skip_spaces();
  if (separator.quoted && separator.marked) scan.take(quote);
  return separator;
}

std::optional<Counted> take_labelled(Scan& scan) {
  Scan ahead = scan;
  take_separator(ahead);
  const auto counted = take_counted(ahead);
  if (counted) scan = ahead;
  return counted;
}

std::optional<Counted> bar_step(std::string_view line) {
  const auto step = keras_step(line);
  return step ? step : tqdm_step(line);
}

}  // namespace adarun::monitor
