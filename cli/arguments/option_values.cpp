// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/option_values.h"

#include <cmath>
#include <limits>
#include <map>

namespace adarun::cli {

using std::chrono::milliseconds;

namespace {

/// Takes the first number and the letters behind it off `text`; nullopt if it does not begin with a number
/// that is 0 or more.
std::optional<std::pair<double, std::string>> take_term(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  const std::string_view letters = text.substr(0, text.find_first_of("0123456789."));
  text.remove_prefix(letters.size());
  return std::pair(value, std::string(letters));
}

/// Milliseconds of a unit of time; 0: there is no such unit.
double milliseconds_of(const std::string& unit) {
  static const std::map<std::string, double> units{{"ms", 1},    {"s", 1e3},   {"sec", 1e3},  {"m", 6e4},
                                                   {"min", 6e4}, {"h", 3.6e6}, {"hr", 3.6e6}, {"d", 8.64e7}};
  const auto found = units.find(unit);
  return found == units.end() ? 0 : found->second;
}

}  // namespace

std::optional<milliseconds> parse_duration(const std::string& text) {
  constexpr double most_ms = 1e11;
  double sum = 0;
  double larger = std::numeric_limits<double>::infinity();  // the unit before
  std::string_view left = text;
  do {
    const auto term = take_term(left);
    if (!term) return std::nullopt;
    const auto& [value, letters] = *term;
    const bool is_alone = left.empty() && std::isinf(larger);
    const double unit = letters.empty() && is_alone ? 1e3 : milliseconds_of(letters);
    if (unit == 0 || unit >= larger) return std::nullopt;
    sum += value * unit;
    larger = unit;
  } while (!left.empty());
  if (!(sum <= most_ms)) return std::nullopt;
  return milliseconds(static_cast<std::int64_t>(sum));
}

std::string duration_text(milliseconds time) {
  const auto count = [time](auto unit) { return std::to_string(time / unit); };
  if (time % std::chrono::seconds(1) != milliseconds(0)) return count(milliseconds(1)) + "ms";
  if (time % std::chrono::minutes(1) != milliseconds(0)) return count(std::chrono::seconds(1)) + "s";
  return time % std::chrono::hours(1) != milliseconds(0) ? count(std::chrono::minutes(1)) + "m"
                                                         : count(std::chrono::hours(1)) + "h";
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  constexpr std::string_view prefixes = "kMGT";
  constexpr double most_bytes = 1e18;
  std::string_view left = text;
  const auto term = take_term(left);
  if (!term || !left.empty()) return std::nullopt;
  std::string_view unit = term->second;
  if (unit.ends_with('B')) unit.remove_suffix(1);
  const bool binary = unit.size() == 2 && unit[1] == 'i';
  if (binary) unit.remove_suffix(1);
  const std::size_t prefix = unit == "K" ? 0 : prefixes.find(unit);
  if (unit.size() > 1 || prefix == std::string_view::npos) return std::nullopt;
  const double steps = unit.empty() ? 0 : static_cast<double>(prefix) + 1;
  const double bytes = term->first * std::pow(binary ? 1024.0 : 1000.0, steps);
  if (!(bytes <= most_bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

void add_size(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& target,
              std::uint64_t least, const std::string& help) {
  const auto take = [&target, name, least](const std::string& text) {
    const auto value = parse_size(text);
    if (!value) throw CLI::ValidationError(name, "\"" + text + "\": wanted a size such as 500k, 10M or 1G");
    if (*value < least)
      throw CLI::ValidationError(name, "\"" + text + "\": wanted at least " + base::describe_bytes(least));
    target = *value;
  };
  add_parsed(command, name, "SIZE", help, take);
}

int parse_number(const std::string& option, const std::string& text, std::pair<int, int> range,
                 const std::string& others) {
  const auto value = parse_whole<int>(text);
  if (!value || *value < range.first || *value > range.second)
    throw CLI::ValidationError(option, "\"" + text + "\": wanted a number from " +
                                           std::to_string(range.first) + " to " +
                                           std::to_string(range.second) + others);
  return *value;
}

CLI::Option* add_count(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& target,
                       const std::string& help, const std::string& unit) {
  const auto take = [&target, option = name.substr(name.rfind(',') + 1)](const std::string& text) {
    target = parse_whole<std::uint64_t>(text);
    if (!target) throw CLI::ValidationError(option, "\"" + text + "\": wanted a number such as 0 or 20");
  };
  return add_parsed(command, name, unit, help, take);
}

}  // namespace adarun::cli
