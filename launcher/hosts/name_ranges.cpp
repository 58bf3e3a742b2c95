// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/name_ranges.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/base/number.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t max_names = 65536;
constexpr std::size_t max_name_bytes = 255;  // No name of a host is longer.
constexpr unsigned max_number = 999'999'999;

struct NumberRange {
  unsigned first = 0;
  unsigned last = 0;
  unsigned step = 1;
  std::size_t width = 0;

  std::size_t size() const { return (last - first) / step + 1; }
};

// A number with at least `width` digits: 7, 3 -> "007".
std::string padded(unsigned value, std::size_t width) {
  std::string digits = std::to_string(value);
  if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
  return digits;
}

NumberRange parse_range(std::string_view text, const std::string& where) {
  const std::size_t dash = text.find('-');
  const std::size_t slash = dash == std::string_view::npos ? dash : text.find('/');
  const std::string_view first = text.substr(0, dash);
  const std::string_view last =
      dash == std::string_view::npos ? first : text.substr(dash + 1, slash - std::min(slash, dash + 1));
  const std::string_view step = slash == std::string_view::npos ? "1" : text.substr(slash + 1);
  const auto low = number<unsigned>(first);
  const auto high = number<unsigned>(last);
  const auto by = number<unsigned>(step);
  if (!low || !high || !by || *high < *low || *high > max_number || *by == 0)
    throw Error(where + ": \"[" + std::string(text) +
                "]\": wanted a number or a rising range such as 1-4 or 0-14/2");
  return {*low, *high, *by, first.size()};
}

[[noreturn]] void refuse_number(const std::string& where) {
  throw Error(where + ": more than " + std::to_string(max_names) + " hosts");
}

// The whole text, "[::1]": brackets around an address, and no list of numbers.
bool is_bracketed_address(std::string_view text) {
  return text.front() == '[' && text.find(']') == text.size() - 1 && text.find(':') != std::string_view::npos;
}

// "08-10,12" -> 08 09 10 12.
std::vector<std::string> numbers_in(std::string_view list, const std::string& where) {
  std::vector<std::string> numbers;
  for (const std::string_view item : split_items(list)) {
    const NumberRange range = parse_range(item, where);
    if (range.width > max_name_bytes)
      throw Error(where + ": numbers of " + std::to_string(range.width) + " digits, at most " +
                  std::to_string(max_name_bytes) + " are a name");
    if (range.size() > max_names - numbers.size()) refuse_number(where);
    for (std::size_t i = 0; i < range.size(); ++i)
      numbers.push_back(padded(range.first + static_cast<unsigned>(i) * range.step, range.width));
  }
  return numbers;
}

// Each name with each of these ends.
void append(const std::vector<std::string>& ends, std::vector<std::string>& names, const std::string& where) {
  if (ends.size() > max_names / names.size()) refuse_number(where);
  std::vector<std::string> longer;
  longer.reserve(names.size() * ends.size());
  for (const std::string& name : names)
    for (const std::string& end : ends) {
      if (name.size() + end.size() > max_name_bytes)
        throw Error(where + ": a name of more than " + std::to_string(max_name_bytes) + " bytes");
      longer.push_back(name + end);
    }
  names = std::move(longer);
}

// Trims both ends.
std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

constexpr std::size_t most_digits = 9;  // The most that expand_names() reads.

// The text before the number at a name's end, and how many digits that has; 0 if numbers are written without
// leading zeros.
using Stem = std::pair<std::string, std::size_t>;

struct NameParts {
  Stem stem;
  unsigned number = 0;
  bool has_number = false;
};

NameParts stem_and_number(const std::string& name) {
  std::size_t start = name.size();
  while (start > 0 && name.size() - start < most_digits && name[start - 1] >= '0' && name[start - 1] <= '9')
    --start;
  const std::size_t digits = name.size() - start;
  // Addresses are not folded, and a bracket at the beginning of a name holds an IPv6 address.
  if (digits == 0 || start == 0 || name.find_first_of(":.[]") != std::string::npos)
    return {{name, 0}, 0, false};
  return {{name.substr(0, start), digits}, static_cast<unsigned>(std::stoul(name.substr(start))), true};
}

bool is_padded(const NameParts& parts) {
  return parts.has_number && std::to_string(parts.number).size() < parts.stem.second;
}

std::string with_bracket(const Stem& stem, std::vector<unsigned> numbers) {
  std::sort(numbers.begin(), numbers.end());
  if (numbers.size() == 1) return stem.first + padded(numbers[0], stem.second);
  std::string inside;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    inside += (inside.empty() ? "" : ",") + padded(numbers[first], stem.second);
    if (last > first) inside += "-" + padded(numbers[last], stem.second);
    first = last + 1;
  }
  return stem.first + "[" + inside + "]";
}

}  // namespace

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
  if (text.find_first_of("[]") == std::string_view::npos) return {std::string(text)};
  if (is_bracketed_address(text)) return {std::string(text.substr(1, text.size() - 2))};
  std::vector<std::string> names{""};
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t open = rest.find('[');
    const std::size_t close = rest.find(']');
    if (open == close) {  // There are none.
      append({std::string(rest)}, names, where);
      break;
    }
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
      throw Error(where + ": \"" + std::string(rest) + "\": a bracket without its partner");
    append({std::string(rest.substr(0, open))}, names, where);
    append(numbers_in(rest.substr(open + 1, close - open - 1), where), names, where);
    rest.remove_prefix(close + 1);
  }
  return names;
}

std::string fold_names(const std::vector<std::string>& names) {
  std::set<Stem> padded_stems;
  for (const std::string& name : names)
    if (const NameParts parts = stem_and_number(name); is_padded(parts)) padded_stems.insert(parts.stem);
  std::vector<Stem> stems;
  std::map<Stem, std::vector<unsigned>> numbers;
  for (const std::string& name : names) {
    NameParts parts = stem_and_number(name);
    if (padded_stems.count(parts.stem) == 0) parts.stem.second = 0;
    const auto [group, is_new] = numbers.try_emplace(parts.stem);
    if (is_new) stems.push_back(parts.stem);
    if (parts.has_number) group->second.push_back(parts.number);
  }
  std::string text;
  for (const Stem& stem : stems) {
    const std::vector<unsigned>& group = numbers.at(stem);
    text += (text.empty() ? "" : ",") + (group.empty() ? stem.first : with_bracket(stem, group));
  }
  return text;
}

}  // namespace adarun::launcher
