// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/rank_set.h"

#include <charconv>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace adarun::cli {
namespace {

constexpr std::uint32_t most_ranks = 1U << 20U;

bool read_number(std::string_view text, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size() && value < most_ranks;
}

}  // namespace

std::set<std::uint32_t> parse_ranks(const std::string& text) {
  std::set<std::uint32_t> ranks;
  std::istringstream items(text + ',');
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t dash = item.find('-');
    const std::string last_text = dash == std::string::npos ? item : item.substr(dash + 1);
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    if (!read_number(item.substr(0, dash), first) || !read_number(last_text, last) || last < first)
      throw std::invalid_argument("\"" + text + "\": wanted ranks such as 0,3 or 0-7,12");
    for (std::uint32_t rank = first; rank <= last; ++rank) ranks.insert(rank);
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
