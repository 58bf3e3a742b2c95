// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/expand.h"

#include <algorithm>
#include <charconv>

#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t max_names = 65536;
constexpr unsigned max_number = 999'999'999;

struct NumberRange {
  unsigned first = 0;
  unsigned last = 0;
  unsigned step = 1;
  std::size_t width = 0;

  std::size_t size() const { return (last - first) / step + 1; }
};

bool read_number(std::string_view text, unsigned& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

NumberRange parse_range(std::string_view text, const std::string& where) {
  const std::size_t dash = text.find('-');
  const std::size_t slash = dash == std::string_view::npos ? dash : text.find('/');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last =
      dash == std::string_view::npos ? first : text.substr(dash + 1, slash - std::min(slash, dash + 1));
  const std::string_view step = slash == std::string_view::npos ? "1" : text.substr(slash + 1);
  NumberRange range{0, 0, 1, first.size()};
  if (!read_number(first, range.first) || !read_number(last, range.last) || !read_number(step, range.step) ||
      range.last < range.first || range.last > max_number || range.step == 0)
    throw Error(where + ": \"[" + std::string(text) +
                "]\": wanted a number or a rising range such as 1-4 or 0-14/2");
  return range;
}

// Trims both ends.
std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string padded(unsigned number, std::size_t width) {
  std::string digits = std::to_string(number);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

std::vector<std::string_view> split_items(std::string_view list) {
  std::vector<std::string_view> items;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[') ++depth;
    if (list[i] == ']') --depth;
    if (list[i] != ',' || depth > 0) continue;
    items.push_back(without_blanks(list.substr(start, i - start)));
    start = i + 1;
  }
  items.push_back(without_blanks(list.substr(start)));
  return items;
}

std::vector<std::string> expand_names(std::string_view text, const std::string& where) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string_view::npos && close == std::string_view::npos) return {std::string(text)};
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    throw Error(where + ": \"" + std::string(text) + "\": a bracket without its partner");
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  if (open == 0 && close == text.size() - 1 && inside.find(':') != std::string_view::npos)
    return {std::string(inside)};
  std::vector<std::string> names;
  const std::vector<std::string> tails = expand_names(text.substr(close + 1), where);
  for (const std::string_view item : split_items(inside)) {
    const NumberRange range = parse_range(item, where);
    const std::size_t more = range.size() * tails.size();
    if (names.size() + more > max_names)
      throw Error(where + ": more than " + std::to_string(max_names) + " hosts");
    for (std::size_t i = 0; i < range.size(); ++i)
      for (const std::string& tail : tails)
        names.push_back(std::string(text.substr(0, open)) +
                        padded(range.first + static_cast<unsigned>(i) * range.step, range.width) + tail);
  }
  return names;
}

}  // namespace adarun::launcher
