// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/gradient_line.h"

#include <initializer_list>
#include <limits>
#include <string>

#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

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

}  // namespace

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

}  // namespace adarun::monitor
