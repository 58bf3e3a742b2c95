// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/describe.h"

namespace adarun::cli {

/// The whole number that `text` is, to this base; nullopt if it is none, or too large.
template <typename Number>
std::optional<Number> parse_whole(std::string_view text, int base = 10) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Adds an option or argument whose value is called `type` in --help. `target` must outlive the parse.
template <typename Target>
CLI::Option* add_text(CLI::App& command, const std::string& name, Target& target, const std::string& type,
                      const std::string& help) {
  return command.add_option(name, target, help)->type_name(type);
}

/// The same for an option that may come several times, with a value each.
inline CLI::Option* add_texts(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                              const std::string& type, const std::string& help) {
  return add_text(command, name, target, type, help)->expected(1)->take_all();
}

/// The same for an option whose value `take` reads, which throws CLI::ValidationError for wrong usage.
inline CLI::Option* add_parsed(CLI::App& command, const std::string& name, const std::string& type,
                               const std::string& help, const std::function<void(const std::string&)>& take) {
  return command.add_option_function<std::string>(name, take, help)->type_name(type);
}

/// Adds an option that takes one of a few words; anything else is wrong usage. `target` must outlive the
/// parse and may be an optional.
template <typename Value, typename Target>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& target,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& help) {
  std::string words;
  for (const auto& [word, value] : choices) words += (words.empty() ? "" : "|") + word;
  const auto take = [&target, name, choices, words](const std::string& text) {
    for (const auto& [word, value] : choices)
      if (word == text) {
        target = value;
        return;
      }
    throw CLI::ValidationError(name, "\"" + text + "\": wanted " + words);
  };
  return add_parsed(command, name, words, help, take);
}

/// Parses "10", "10s", "500ms", "2m" or "2min", "1h", "7d", "1h30m" (a plain number is seconds; units fall);
/// nullopt for any other text, and beyond 1e11 ms.
std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);

/// Inverse of parse_duration, in the largest unit without a remainder: "500ms", "10s", "2m", "1h".
std::string duration_text(std::chrono::milliseconds time);

/// Durations that an option takes.
struct DurationRange {
  std::chrono::milliseconds least{1};
  std::chrono::milliseconds most = std::chrono::hours(24 * 24);  ///< Less than poll(2) waits: 2^31 ms.
};

/// Adds an option that takes a duration in `range`, such as 10s; anything else is wrong usage. `target` must
/// outlive the parse and may be an optional.
template <typename Target>
void add_duration(CLI::App& command, const std::string& name, Target& target, const std::string& help,
                  DurationRange range = {}) {
  const auto take = [&target, name, range](const std::string& text) {
    const auto value = parse_duration(text);
    if (!value || value->count() <= 0)
      throw CLI::ValidationError(name, "\"" + text + "\": wanted a duration such as 10s, 2m or 1h30m");
    if (*value < range.least)
      throw CLI::ValidationError(name, "\"" + text + "\": wanted at least " + base::describe(range.least));
    if (*value > range.most)
      throw CLI::ValidationError(name, "\"" + text + "\": wanted at most " + duration_text(range.most));
    target = *value;
  };
  add_parsed(command, name, "TIME", help, take);
}

/// Parses "4096", "10k", "10MB", "1.5G" (powers of 1000), "1GiB" (of 1024); nullopt for any other text.
std::optional<std::uint64_t> parse_size(const std::string& text);

/// Adds an option that takes a size of at least `least` bytes; anything else is wrong usage. `target` must
/// outlive the parse.
void add_size(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& target,
              std::uint64_t least, const std::string& help);

/// Parses a number from `range.first` to `range.second`; throws CLI::ValidationError, which names the option,
/// and says that `others` are taken as well.
int parse_number(const std::string& option, const std::string& text, std::pair<int, int> range,
                 const std::string& others = "");

/// Adds an option that takes such a number; anything else is wrong usage. `target` must outlive the parse and
/// may be an optional.
template <typename Target>
CLI::Option* add_number(CLI::App& command, const std::string& name, Target& target, std::pair<int, int> range,
                        const std::string& help) {
  const auto take = [&target, option = name.substr(0, name.find(',')), range](const std::string& text) {
    target = parse_number(option, text, range);
  };
  return add_parsed(command, name, "N", help, take);
}

/// The same without an upper bound: 0, 1, 2, ...
CLI::Option* add_count(CLI::App& command, const std::string& name, std::optional<std::uint64_t>& target,
                       const std::string& help, const std::string& unit = "N");

}  // namespace adarun::cli
