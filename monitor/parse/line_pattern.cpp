// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_pattern.h"

#include <algorithm>
#include <charconv>
#include <regex>

#include "monitor/error.h"
#include "monitor/parse/decimal.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// In the order of `Name`.
constexpr std::array<std::string_view, 9> known_names{"loss", "epoch", "epochs",     "step",    "steps",
                                                      "time", "lr",    "throughput", "accuracy"};

std::string all_names() {
  std::string text;
  for (const std::string_view name : known_names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

[[noreturn]] void refuse(std::string_view text, std::size_t at, const std::string& reason) {
  throw Error("\"" + std::string(text) + "\": at character " + std::to_string(at + 1) + ": " + reason);
}

std::string_view reason_of(std::regex_constants::error_type code) {
  switch (code) {
    case std::regex_constants::error_brack:
      return "a [ has no ]";
    case std::regex_constants::error_paren:
      return "a ( has no ), or a ) no (";
    case std::regex_constants::error_brace:
    case std::regex_constants::error_badbrace:
      return "wanted {N}, {N,} or {N,M}";
    case std::regex_constants::error_range:
      return "a range of characters ends before it begins";
    case std::regex_constants::error_escape:
      return "no such character behind a backslash";
    case std::regex_constants::error_ctype:
      return "no such class of characters";
    case std::regex_constants::error_badrepeat:
      return "a *, +, ? or { has nothing to repeat";
    case std::regex_constants::error_backref:
      return "a reference to a group that is not there";
    default:
      return "not a regular expression";
  }
}

std::optional<double> number_in(std::string_view text) {
  const char* at = text.data();
  double value = 0;
  if (!text.empty() && *at == '+') ++at;
  const bool whole = read_decimal(at, text.data() + text.size(), value) && at == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> count_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = wrong == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

struct LinePattern::Expression {
  std::regex regex;
};

LinePattern::LinePattern(std::string_view text) {
  const std::string unnamed = without_names(text);
  if (std::all_of(group_of_.begin(), group_of_.end(), [](std::size_t group) { return group == 0; }))
    throw Error("\"" + std::string(text) + "\": names no group; wanted (?<loss>...) and others of " +
                all_names());
  try {
    expression_ = std::make_shared<Expression>(
        Expression{std::regex(unnamed, std::regex::ECMAScript | std::regex::optimize)});
  } catch (const std::regex_error& error) {
    throw Error("\"" + std::string(text) + "\": " + std::string(reason_of(error.code())));
  }
}

// The standard library knows groups by number only: takes the names away and remembers their numbers.
std::string LinePattern::without_names(std::string_view text) {
  std::string unnamed;
  bool in_brackets = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    unnamed += c;
    if (c == '\\' && at + 1 < text.size()) {
      unnamed += text[++at];
    } else if (in_brackets || c == '[') {
      in_brackets = c != ']';
    } else if (c == '(') {
      const std::string_view behind = text.substr(at + 1);
      if (behind.substr(0, 2) == "?:" || behind.substr(0, 2) == "?=" || behind.substr(0, 2) == "?!") continue;
      ++groups_;
      if (behind.substr(0, 1) != "?") continue;
      const std::size_t name = behind.substr(0, 3) == "?P<" ? 3 : behind.substr(0, 2) == "?<" ? 2 : 0;
      const std::size_t end = behind.find('>');
      if (name == 0 || end == std::string_view::npos)
        refuse(text, at, "wanted (?<name>...), (?P<name>...), (?:...), (?=...) or (?!...)");
      name_group(behind.substr(name, end - name), text, at + 1 + name);
      at += 1 + end;
    }
  }
  return unnamed;
}

void LinePattern::name_group(std::string_view name, std::string_view text, std::size_t at) {
  const auto known = std::find(known_names.begin(), known_names.end(), name);
  if (known == known_names.end())
    refuse(text, at, "unknown name \"" + std::string(name) + "\"; wanted one of " + all_names());
  std::size_t& group = group_of_[static_cast<std::size_t>(known - known_names.begin())];
  if (group != 0) refuse(text, at, "\"" + std::string(name) + "\" for a second time");
  group = groups_;
}

std::optional<LinePattern::Reading> LinePattern::read(std::string_view text) const {
  std::string buffer;
  const std::string_view line = visible_text(text, buffer).substr(0, max_line_bytes);
  std::cmatch match;
  if (!std::regex_search(line.begin(), line.end(), match, expression_->regex)) return std::nullopt;
  bool readable = true;
  const auto value = [&](Name name, const auto& read) -> decltype(read(std::string_view())) {
    const std::size_t group = group_of_[name];
    if (group == 0 || !match[group].matched) return std::nullopt;
    auto found = read({match[group].first, static_cast<std::size_t>(match[group].length())});
    readable = readable && found.has_value();
    return found;
  };
  Reading reading;
  if (const auto its_loss = value(loss, number_in))
    reading.loss = {*its_loss, value(epoch, count_in), value(step, count_in), value(epochs, count_in),
                    value(steps, count_in)};
  MetricLine metrics;
  metrics.step_ms = value(time, number_in);
  metrics.images_per_s = value(throughput, number_in);
  metrics.accuracy = value(accuracy, number_in);
  metrics.learning_rate = value(lr, number_in);
  if (metrics != MetricLine{}) reading.metrics = metrics;
  if (!readable || (!reading.loss && !reading.metrics)) return std::nullopt;
  return reading;
}

}  // namespace adarun::monitor
