// SPDX-License-Identifier: Apache-2.0
#include "cli/options/quantity_option.h"

#include <charconv>
#include <cstdint>
#include <map>

namespace adarun::cli {

using std::chrono::milliseconds;

std::optional<milliseconds> parse_duration(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  const std::map<std::string, double> units{{"", 1e3}, {"s", 1e3}, {"ms", 1}, {"m", 6e4}, {"h", 3.6e6}};
  const auto unit = units.find(std::string(end));
  const double most_ms = 1e9;
  if (unit == units.end() || !(value * unit->second <= most_ms)) return std::nullopt;
  return milliseconds(static_cast<std::int64_t>(value * unit->second));
}

std::string duration_text(milliseconds time) {
  const auto count = [time](auto unit) { return std::to_string(time / unit); };
  if (time % std::chrono::seconds(1) != milliseconds(0)) return count(milliseconds(1)) + "ms";
  if (time % std::chrono::minutes(1) != milliseconds(0)) return count(std::chrono::seconds(1)) + "s";
  return time % std::chrono::hours(1) != milliseconds(0) ? count(std::chrono::minutes(1)) + "m"
                                                         : count(std::chrono::hours(1)) + "h";
}

std::optional<std::uint64_t> parse_size(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0)) return std::nullopt;
  const std::map<std::string, double> units{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
  const auto unit = units.find(std::string(end));
  const double most_bytes = 1e18;
  if (unit == units.end() || !(value * unit->second <= most_bytes)) return std::nullopt;
  return static_cast<std::uint64_t>(value * unit->second);
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
  command.add_option_function<std::string>(name, take, help)->type_name("SIZE");
}

void add_number(CLI::App& command, const std::string& name, int& target, std::pair<int, int> range,
                const std::string& help) {
  const auto take = [&target, name, range](const std::string& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || *end != '\0' || value < range.first || value > range.second)
      throw CLI::ValidationError(name, "\"" + text + "\": wanted a number from " +
                                           std::to_string(range.first) + " to " +
                                           std::to_string(range.second));
    target = value;
  };
  command.add_option_function<std::string>(name, take, help)->type_name("N");
}

CLI::Option* add_count(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& target,
                       const std::string& help, const std::string& unit) {
  const auto take = [&target, name](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      throw CLI::ValidationError(name, "\"" + text + "\": wanted a number such as 0 or 20");
    target = value;
  };
  return command.add_option_function<std::string>(name, take, help)->type_name(unit);
}

}  // namespace adarun::cli
