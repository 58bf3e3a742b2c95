// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/metric_line.h"

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>

#include "monitor/base/text.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// Reads what separates a label from its number: ": 12.5", "= 12.5", "': 12.5".
bool take_colon_or_equals(Scan& scan) {
  if (!scan.take('\'')) scan.take('"');
  scan.skip_spaces();
  if (!scan.take(':') && !scan.take('=')) return false;
  scan.skip_spaces();
  take_constructor(scan);
  return true;
}

// A number followed by exactly this unit.
std::optional<double> take_measure(Scan& scan, std::string_view unit) {
  Scan ahead = scan;
  if (!take_colon_or_equals(ahead)) return std::nullopt;
  const auto value = ahead.take_value();
  ahead.skip_spaces();
  if (!value || !std::isfinite(*value) || ahead.rest().substr(0, unit.size()) != unit) return std::nullopt;
  return value;
}

// 980/1000 or 0.98 or 98%
std::optional<double> take_share(Scan& scan) {
  Scan ahead = scan;
  if (!take_colon_or_equals(ahead)) return std::nullopt;
  Scan ratio = ahead;
  if (const auto part = ratio.take_count(); part && ratio.take('/')) {
    const auto whole = ratio.take_count();
    if (!whole || *whole == 0 || *part > *whole) return std::nullopt;
    return static_cast<double>(*part) / static_cast<double>(*whole);
  }
  const std::size_t percent = ahead.rest().find_first_not_of("0123456789.");
  if (percent != std::string_view::npos && ahead.rest()[percent] == '%') {
    const auto value = Scan(ahead.rest().substr(0, percent)).take_value();
    return value && *value <= 100 ? std::optional(*value / 100) : std::nullopt;
  }
  const auto value = ahead.take_value();
  return value && *value >= 0 && *value <= 1 ? value : std::nullopt;
}

bool is_accuracy(std::string_view word) {
  constexpr std::array<std::string_view, 4> words{"accuracy", "acc", "top_1_accuracy", "test_accuracy"};
  for (const std::string_view each : words) {
    if (same_word(word, each)) return true;
  }
  return false;
}

bool take_words(Scan& scan, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (!same_word(scan.next_word(), word)) return false;
  return true;
}

std::optional<std::uint64_t> take_count_behind(Scan& scan, std::initializer_list<std::string_view> words) {
  if (!take_words(scan, words)) return std::nullopt;
  scan.take(':');
  scan.skip_spaces();
  return scan.take_count();
}

// The number after the first `before` in `text`.
std::optional<double> value_behind(std::string_view text, std::string_view before) {
  const std::size_t found = text.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  return Scan(text.substr(found + before.size())).take_value();
}

}  // namespace

std::optional<std::uint64_t> MetricLine::steps_per_epoch() const {
  if (!epoch_ms || !step_ms || *step_ms <= 0 || *epoch_ms <= 0) return std::nullopt;
  const double steps = std::round(*epoch_ms / *step_ms);
  // Times are printed to 0.001 ms, so the step time is off by up to 0.0005 ms and the number of steps by
  // `uncertain`.
  const double uncertain = steps * 0.0005 / *step_ms;
  if (steps < 1 || steps > 1e9 || uncertain > 0.3) return std::nullopt;
  return static_cast<std::uint64_t>(steps);
}

std::optional<MetricLine> parse_metric_line(std::string_view text) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  MetricLine line;
  std::string_view before;
  std::string_view before_that;
  for (std::string_view word = scan.next_word(); !word.empty(); word = scan.next_word()) {
    if (same_word(word, "time") && same_word(before, "epoch")) line.epoch_ms = take_measure(scan, "ms");
    if (same_word(word, "time") && same_word(before, "step") && same_word(before_that, "per")) {
      line.step_ms = take_measure(scan, "ms");
    }
    if (same_word(word, "throughput")) line.images_per_s = take_measure(scan, "images/s");
    if (is_accuracy(word)) line.accuracy = take_share(scan);
    before_that = before;
    before = word;
  }
  return line == MetricLine{} ? std::nullopt : std::optional(line);
}

std::optional<GradientLine> parse_gradient_line(std::string_view text) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  const auto epoch = take_count_behind(scan, {"in", "epoch"});
  const auto step = epoch ? take_count_behind(scan, {"step"}) : std::nullopt;
  const auto rank = step ? take_count_behind(scan, {"gradient", "of", "rank"}) : std::nullopt;
  if (!rank || *rank > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  if (!take_words(scan, {"is", "nan", "or", "inf"})) return std::nullopt;
  return GradientLine{*epoch, *step, static_cast<std::uint32_t>(*rank)};
}

std::optional<AdasumLine> parse_adasum_line(std::string_view text) {
  std::string buffer;
  Scan scan(visible_text(text, buffer));
  if (scan.next_word() != "adasum" || !scan.take(':') || scan.next_word() != "epoch") return std::nullopt;
  scan.skip_spaces();
  const auto epoch = scan.take_count();
  if (!epoch || scan.next_word() != "step") return std::nullopt;
  scan.skip_spaces();
  const auto step = scan.take_count();
  const std::string_view rest = scan.rest();
  const auto orthogonality = value_behind(rest, "orthogonality ");
  const auto lowest = value_behind(rest, " (");
  const auto highest = value_behind(rest, " - ");
  const auto cosine = value_behind(rest, "), cosine ");
  if (!step || !orthogonality || !lowest || !highest || !cosine) return std::nullopt;
  return AdasumLine{*epoch, *step, *orthogonality, *lowest, *highest, *cosine};
}

}  // namespace adarun::monitor
