// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/line_pattern.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include <re2/re2.h>

#include "monitor/base/error.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

// In the order of enum `Name`.
constexpr std::array<std::string_view, 10> known_names{
    "loss", "epoch", "epochs", "step", "steps", "time", "lr", "throughput", "accuracy", "validation"};

std::string all_names() {
  std::string text;
  for (const std::string_view name : known_names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// RE2 in Debian 12 accepts only "(?P<" for named groups.
std::string with_known_names(std::string_view text) {
  std::string known;
  bool in_brackets = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    known += c;
    if (c == '\\' && at + 1 < text.size()) {
      known += text[++at];
    } else if (in_brackets || c == '[') {
      in_brackets = c != ']';
    } else if (c == '(' && text.substr(at + 1, 2) == "?<") {
      known += "?P<";
      at += 2;
    }
  }
  return known;
}

// RE2's error message, with group names as the user wrote them.
std::string reason_of(const re2::RE2& wrong) {
  std::string reason = wrong.error();
  for (std::size_t at = 0; (at = reason.find("(?P<", at)) != std::string::npos;) reason.erase(at + 2, 1);
  return reason;
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> number_in(std::string_view text) {
  return number_of<double>(text.starts_with('+') ? text.substr(1) : text);
}

}  // namespace

LinePattern::LinePattern(std::string_view text) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // a log may hold any bytes
  options.set_log_errors(false);
  expression_ = std::make_shared<const re2::RE2>(with_known_names(text), options);
  if (!expression_->ok())
    throw Error("\"" + std::string(text) + "\": no regular expression: " + reason_of(*expression_));
  name_groups(text);
}

void LinePattern::name_groups(std::string_view text) {
  const auto refuse = [text](const std::string& reason) {
    throw Error("\"" + std::string(text) + "\": " + reason);
  };
  const auto& groups = expression_->CapturingGroupNames();
  if (groups.empty()) refuse("names no group; wanted (?<loss>...) and others of " + all_names());
  for (const auto& [group, name] : groups) {
    const auto known = std::find(known_names.begin(), known_names.end(), name);
    if (known == known_names.end())
      refuse("at character " + std::to_string(text.find("<" + name + ">") + 2) + ": unknown name \"" + name +
             "\"; wanted one of " + all_names());
    int& its_group = group_of_[static_cast<std::size_t>(known - known_names.begin())];
    if (its_group != 0) refuse("\"" + name + "\" for a second time");
    its_group = group;
  }
}

std::optional<LinePattern::Match> LinePattern::read(std::string_view text) const {
  std::string buffer;
  const std::string_view line = visible_text(text, buffer);
  const int pieces = expression_->NumberOfCapturingGroups() + 1;
  std::vector<re2::StringPiece> match(static_cast<std::size_t>(pieces));
  if (!expression_->Match(line, 0, line.size(), re2::RE2::UNANCHORED, match.data(), pieces))
    return std::nullopt;
  bool readable = true;
  const auto value = [&](Name name, const auto& read) -> decltype(read(std::string_view())) {
    const re2::StringPiece& group = match[static_cast<std::size_t>(group_of_[name])];
    if (group_of_[name] == 0 || group.data() == nullptr) return std::nullopt;
    auto found = read({group.data(), group.size()});
    readable = readable && found.has_value();
    return found;
  };
  Match result;
  const LossLine place{0, value(epoch, number_of<std::uint64_t>), value(step, number_of<std::uint64_t>),
                       value(epochs, number_of<std::uint64_t>), value(steps, number_of<std::uint64_t>)};
  if (const auto its_loss = value(loss, number_in)) {
    result.loss = place;
    result.loss->loss = *its_loss;
  }
  if (const auto its_loss = value(validation, number_in)) {
    result.validation = place;
    result.validation->loss = *its_loss;
  }
  MetricLine metrics;
  metrics.step_ms = value(time, number_in);
  metrics.images_per_s = value(throughput, number_in);
  metrics.accuracy = value(accuracy, number_in);
  metrics.learning_rate = value(lr, number_in);
  if (metrics != MetricLine{}) result.metrics = metrics;
  if (!readable || (!result.loss && !result.metrics && !result.validation)) return std::nullopt;
  return result;
}

}  // namespace adarun::monitor
