// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/adasum_line.h"

#include <string>

#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// The number after the first `before` in `text`.
std::optional<double> value_behind(std::string_view text, std::string_view before) {
  const std::size_t found = text.find(before);
  if (found == std::string_view::npos) return std::nullopt;
  return Scan(text.substr(found + before.size())).take_value();
}

}  // namespace

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
