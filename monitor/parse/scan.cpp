// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/scan.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t';
}
// The length of the escape sequence that `text` begins with (text[0] is ESC).
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  std::size_t end = 2;
  if (text[1] == '[') {  // CSI: parameters, then one final byte from @ to ~
    while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
    return end < text.size() ? end + 1 : end;
  }
  if (text[1] == ']') {  // OSC: up to BEL or ESC backslash
    while (end < text.size() && text[end] != '\a' && text[end] != '\x1b') ++end;
    if (end < text.size() && text[end] == '\x1b') return end + (end + 1 < text.size() ? 2 : 1);
    return end < text.size() ? end + 1 : end;
  }
  return 2;
}

// Reads a count and sets `text` to its characters.
std::optional<std::uint64_t> take_count(Scan& scan, std::string_view& text) {
  const Scan before = scan;
  const auto count = scan.take_count();
  if (count) text = scan.since(before);
  return count;
}

std::optional<Counted> tqdm_step(std::string_view line) {
  const std::size_t percent = line.find("%|");
  if (percent == 0 || percent == std::string_view::npos || !is_digit(line[percent - 1])) return std::nullopt;
  const std::size_t bar_end = line.find('|', percent + 2);
  if (bar_end == std::string_view::npos) return std::nullopt;
  Scan scan(line.substr(bar_end + 1));
  scan.skip_spaces();
  if (scan.rest().starts_with("[")) return std::nullopt;
  const auto step = take_counted(scan);
  scan.skip_spaces();
  return step && step->total && scan.rest().starts_with("[") ? step : std::nullopt;
}

// Whether one of Keras's bars, or in its place the time, is at the beginning of `text`.
bool has_keras_bar(std::string_view text) {
  for (const std::string_view bar : {"[=", "[>", "[.", "\xe2\x94\x81"})
    if (text.starts_with(bar)) return true;
  if (!text.starts_with("- ")) return false;
  text.remove_prefix(std::min(text.find_first_not_of("- "), text.size()));
  const std::size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && text[digits] == 's';
}

std::optional<Counted> keras_step(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\b"), line.size()));
  if (line.empty() || !is_digit(line.front())) return std::nullopt;
  Scan scan(line);
  const auto step = take_counted(scan);
  scan.skip_spaces();
  if (!step || !step->total || !has_keras_bar(scan.rest())) return std::nullopt;
  return scan.rest().find("/sample") == std::string_view::npos ? step : std::nullopt;
}

std::optional<Counted> rich_step(std::string_view line) {
  const std::size_t bar = std::max({line.rfind("\xe2\x94\x81") + 1, line.rfind("\xe2\x95\xb8") + 1,
                                    line.rfind("\xe2\x95\xba") + 1});  // 0: there is none of "━╸╺".
  if (bar == 0) return std::nullopt;
  Scan scan(line.substr(bar + 2));
  if (!scan.rest().starts_with(" ")) return std::nullopt;
  scan.skip_spaces();
  const auto step = take_counted(scan);
  return step && step->total ? step : std::nullopt;
}

// The names of constructors, without digits at their end.
constexpr std::array<std::string_view, 18> constructors{
    "tensor",      "Tensor",           "tf.Tensor", "Array",   "DeviceArray", "array",  "np.float",
    "numpy.float", "np.longdouble",    "np.int",    "np.uint", "float",       "bfloat", "Decimal",
    "int",         "ml_dtypes.bfloat", "jnp.float", "DTensor"};

// Behind the name of the argument that holds the number of a tensor.
std::size_t behind_value_name(std::string_view arguments) {
  constexpr std::size_t most_bytes = 160;
  arguments = arguments.substr(0, most_bytes);
  for (const std::string_view name : {"value=", "numpy=", "local_tensor="})
    if (const std::size_t at = arguments.find(name); at != std::string_view::npos) return at + name.size();
  return 0;
}

}  // namespace

bool take_constructor(Scan& scan) {
  const std::string_view text = scan.rest();
  std::size_t open = 0;
  if (text.starts_with("<tf.Tensor:") || text.starts_with("<tf.Variable")) {
    open = behind_value_name(text);
  } else {
    while (open < text.size() && (is_word(text[open]) || text[open] == '.')) ++open;
    if (open == 0 || open == text.size() || text[open] != '(') return false;
    std::string_view name = text.substr(0, open);
    while (is_digit(name.back())) name.remove_suffix(1);
    if (std::find(constructors.begin(), constructors.end(), name) == constructors.end()) return false;
    ++open;
    if (open < text.size() && is_letter(text[open])) open += behind_value_name(text.substr(open));
  }
  if (open == 0) return false;
  scan = Scan(text.substr(open));
  scan.skip_spaces();
  if (!scan.take('\'')) scan.take('"');
  return true;
}

std::string_view Scan::next_word() {
  while (at_ < line_.size()) {
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_word(line_[at_])) ++at_;
    if (at_ == begin) {
      ++at_;
    } else if (is_letter(line_[begin])) {
      return line_.substr(begin, at_ - begin);
    }
  }
  return {};
}

void Scan::skip_spaces() {
  while (at_ < line_.size() && is_space(line_[at_])) ++at_;
}

bool Scan::take(char wanted) {
  if (at_ == line_.size() || line_[at_] != wanted) return false;
  ++at_;
  return true;
}

std::optional<std::uint64_t> Scan::take_count() {
  const std::string_view text = rest();
  std::uint64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc()) return std::nullopt;
  const auto length = static_cast<std::size_t>(end - text.data());
  const std::string_view behind = text.substr(length);
  if (!behind.empty() && (is_letter(behind[0]) || behind[0] == '%')) return std::nullopt;
  if (has_thousands(text.substr(0, length), behind)) return std::nullopt;
  if (behind.size() > 1 && behind[0] == '.' && is_digit(behind[1])) return std::nullopt;
  at_ += length;
  return value;
}

std::optional<double> Scan::take_value(char end) {
  std::string_view text = rest();
  const std::size_t sign = !text.empty() && text[0] == '+' ? 1 : 0;  // from_chars accepts only '-'
  text.remove_prefix(sign);
  if (sign == 1 && !text.empty() && text[0] == '-') return std::nullopt;
  double value = 0;
  const auto [behind, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc()) return std::nullopt;
  const auto length = static_cast<std::size_t>(behind - text.data());
  if (!ends_value(text.substr(length)) && text[length] != end) return std::nullopt;
  if (has_thousands(text.substr(0, length), text.substr(length))) return std::nullopt;
  at_ += sign + length;
  return value;
}

bool ends_value(std::string_view text) {
  const auto is_blank = [](char c) { return is_space(c) || c == '\r' || c == '\n'; };
  if (text.empty() || is_blank(text.front())) return true;
  if (text.front() == '.') return text.size() == 1 || is_blank(text[1]);
  switch (text.front()) {
    case ',':
    case ';':
    case ':':
    case ')':
    case ']':
    case '}':
    case '|':
    case '\'':
    case '"':
      return true;
    default:
      return false;
  }
}

bool has_thousands(std::string_view number, std::string_view behind) {
  constexpr std::size_t group = 3;
  const auto are_digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_digit);
  };
  if (behind.size() <= group || behind[0] != ',' || !are_digits(behind.substr(1, group))) return false;
  if (behind.size() > group + 1 && is_digit(behind[group + 1])) return false;
  if (number.starts_with('-')) number.remove_prefix(1);
  return !number.empty() && number.size() <= group && are_digits(number);
}

std::string_view visible_text(std::string_view line, std::string& buffer) {
  const auto moves_only = [](char c) { return c == '\r' || c == '\n' || c == '\b'; };
  while (!line.empty() && moves_only(line.back())) line.remove_suffix(1);
  if (const std::size_t overwritten = line.rfind('\r'); overwritten != std::string_view::npos) {
    line.remove_prefix(overwritten + 1);
  }
  if (line.find('\x1b') == std::string_view::npos) return line;
  buffer.clear();
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == '\x1b') {
      i += escape_length(line.substr(i));
    } else {
      buffer += line[i++];
    }
  }
  return buffer;
}

std::optional<Counted> take_counted(Scan& scan) {
  Scan ahead = scan;
  const bool bracket = ahead.take('[');
  ahead.skip_spaces();
  Counted counted;
  const auto value = take_count(ahead, counted.text);
  if (!value) return std::nullopt;
  counted.value = *value;
  ahead.skip_spaces();
  if (ahead.take('/')) {
    ahead.skip_spaces();
    counted.total = take_count(ahead, counted.total_text);
    if (!counted.total) return std::nullopt;
    ahead.skip_spaces();
  }
  if (bracket && !ahead.take(']')) return std::nullopt;
  scan = ahead;
  return counted;
}

Separator take_separator(Scan& scan) {
  Separator separator;
  const char quote = scan.rest().empty() ? '\0' : scan.rest().front();
  separator.quoted = (quote == '\'' || quote == '"') && scan.take(quote);
  scan.skip_spaces();
  separator.marked = scan.take(':') || scan.take('=');
  scan.skip_spaces();
  if (separator.quoted && separator.marked) scan.take(quote);
  return separator;
}

std::optional<Counted> take_labelled(Scan& scan) {
  Scan ahead = scan;
  take_separator(ahead);
  take_constructor(ahead);
  const auto counted = take_counted(ahead);
  if (counted) scan = ahead;
  return counted;
}

std::optional<Counted> bar_step(std::string_view line) {
  if (const auto step = keras_step(line)) return step;
  const auto step = tqdm_step(line);
  return step ? step : rich_step(line);
}

}  // namespace adarun::monitor
