// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/rank_set.h"

#include <iterator>
#include <sstream>
#include <stdexcept>

#include "cli/arguments/option_values.h"

namespace adarun::cli {
namespace {

constexpr std::uint32_t most_ranks = 1U << 20U;

}  // namespace

std::set<std::uint32_t> parse_ranks(const std::string& text) {
  std::set<std::uint32_t> ranks;
  std::istringstream items(text + ',');
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t dash = item.find('-');
    const std::string last_text = dash == std::string::npos ? item : item.substr(dash + 1);
    const auto first = parse_whole<std::uint32_t>(item.substr(0, dash));
    const auto last = parse_whole<std::uint32_t>(last_text);
    if (!first || !last || *last < *first || *last >= most_ranks)
      throw std::invalid_argument("\"" + text + "\": wanted ranks such as 0,3 or 0-7,12");
    for (std::uint32_t rank = *first; rank <= *last; ++rank) ranks.insert(rank);
  }
  return ranks;
}

std::string shown_ranks(const std::set<std::uint32_t>& ranks) {
  std::string text;
  for (auto first = ranks.begin(); first != ranks.end();) {
    auto last = first;
    while (std::next(last) != ranks.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    if (last != first) text += "-" + std::to_string(*last);
    first = std::next(last);
  }
  return text;
}

}  // namespace adarun::cli
