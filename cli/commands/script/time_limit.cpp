// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/time_limit.h"

#include <array>
#include <cstdio>
#include <regex>
#include <vector>

#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

using std::chrono::seconds;

constexpr seconds longest = std::chrono::hours(24 * 10'000);

std::vector<long> numbers_in(const std::string& text) {
  std::vector<long> numbers(1, 0);
  for (const char c : text) {
    if (c == ':') {
      numbers.push_back(0);
    } else {
      numbers.back() = 10 * numbers.back() + (c - '0');
    }
  }
  return numbers;
}

}  // namespace

std::optional<seconds> parse_time_limit(const std::string& text) {
  static const std::regex forms("(?:([0-9]{1,9})-)?([0-9]{1,9}(?::[0-9]{1,9}){0,2})");
  std::smatch parts;
  if (!std::regex_match(text, parts, forms)) return std::nullopt;
  const bool has_days = parts[1].matched;
  std::vector<long> numbers = numbers_in(parts[2].str());
  if (!has_days && numbers.size() < 3) numbers.insert(numbers.begin(), 0);  // No hours.
  numbers.resize(3, 0);
  seconds sum = std::chrono::hours(numbers[0]) + std::chrono::minutes(numbers[1]) + seconds(numbers[2]);
  if (has_days) sum += std::chrono::hours(24 * numbers_in(parts[1].str()).front());
  if (sum > longest) return std::nullopt;
  return sum;
}

std::string check_time_limit(const std::string& text) {
  return parse_time_limit(text)
             ? std::string()
             : ranktable::in_quotes(text) + ": wanted minutes, or a time such as 2:00:00 or 1-12:00";
}

std::string check_slurm_time_limit(const std::string& text) {
  static const std::regex none("UNLIMITED|INFINITE", std::regex::icase);
  return std::regex_match(text, none) ? std::string() : check_time_limit(text);
}

std::string clock_text(seconds time) {
  const long all = time.count();
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", all / 3600, all / 60 % 60, all % 60);
  return text.data();
}

}  // namespace adarun::cli
