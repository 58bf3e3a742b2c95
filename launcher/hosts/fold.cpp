// SPDX-License-Identifier: Apache-2.0
#include "launcher/hosts/fold.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "launcher/hosts/expand.h"

namespace adarun::launcher {
namespace {

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
