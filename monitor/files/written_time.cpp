// SPDX-License-Identifier: Apache-2.0
#include "monitor/files/written_time.h"

#include <ctime>

#include "monitor/base/text.h"

namespace adarun::monitor {
namespace {

constexpr std::size_t looked_at_bytes = 160;
constexpr std::size_t minute_bytes = 16;  // "2026-11-21 01:02"

int number(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) value = value * 10 + (text[i] - '0');
  return value;
}

// Whether `text` begins with a date and a time with seconds. In `shape`, `d` stands for a digit.
bool begins_with_time(std::string_view text) {
  constexpr std::string_view shape = "dddd-dd-dd dd:dd:dd";
  if (text.size() < shape.size() || text[4] != text[7]) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    const bool fits = shape[i] == 'd'   ? is_digit(c)
                      : shape[i] == '-' ? c == '-' || c == '/'
                      : shape[i] == ' ' ? c == ' ' || c == 'T' || c == '-'
                                        : c == ':';
    if (!fits) return false;
  }
  return number(text, 5, 2) <= 12 && number(text, 8, 2) <= 31 && number(text, 11, 2) < 24 &&
         number(text, 14, 2) < 60;
}

// ".123456", ",123" or ".123.456" -> 123; removes it from `text`.
int take_milliseconds(std::string_view& text) {
  int value = 0;
  int digits = 0;
  std::size_t at = 0;
  while (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && is_digit(text[at + 1])) {
    for (++at; at < text.size() && is_digit(text[at]); ++at)
      if (digits < 3) {
        value = value * 10 + (text[at] - '0');
        ++digits;
      }
  }
  for (; digits < 3; ++digits) value *= 10;
  text.remove_prefix(at);
  return at == 0 ? 0 : value;
}

// "Z", "+01:00", "+0100" -> minutes east of Greenwich.
std::optional<int> zone_of(std::string_view text) {
  if (text.starts_with('Z')) return 0;
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::size_t minutes = text[3] == ':' ? 4 : 3;
  if (text.size() < minutes + 2) return std::nullopt;
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}, minutes, minutes + 1})
    if (!is_digit(text[at])) return std::nullopt;
  const int east = number(text, 1, 2) * 60 + number(text, minutes, 2);
  return text[0] == '-' ? -east : east;
}

std::tm broken_down(std::string_view text) {
  std::tm time{};
  time.tm_year = number(text, 0, 4) - 1900;
  time.tm_mon = number(text, 5, 2) - 1;
  time.tm_mday = number(text, 8, 2);
  time.tm_hour = number(text, 11, 2);
  time.tm_min = number(text, 14, 2);
  time.tm_isdst = -1;
  return time;
}

}  // namespace

std::optional<std::int64_t> WrittenTime::in(std::string_view line) {
  line = line.substr(0, looked_at_bytes);
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    constexpr std::size_t before_colon = 13;  // "2026-11-21 01"
    if (colon < before_colon) continue;
    std::string_view text = line.substr(colon - before_colon);
    if (!begins_with_time(text)) continue;
    const std::int64_t seconds_ms = number(text, minute_bytes + 1, 2) * std::int64_t{1000};
    const std::string_view minute = text.substr(0, minute_bytes);
    text.remove_prefix(minute_bytes + 3);
    const int fraction_ms = take_milliseconds(text);
    if (const auto zone = zone_of(text)) {
      std::tm time = broken_down(minute);
      return (timegm(&time) - *zone * std::int64_t{60}) * 1000 + seconds_ms + fraction_ms;
    }
    return minute_ms(minute) + seconds_ms + fraction_ms;
  }
  return std::nullopt;
}

std::int64_t WrittenTime::minute_ms(std::string_view date_and_minute) {
  if (minute_ == date_and_minute) return minute_ms_;
  std::tm time = broken_down(date_and_minute);
  minute_ = date_and_minute;
  minute_ms_ = static_cast<std::int64_t>(mktime(&time)) * 1000;
  return minute_ms_;
}

}  // namespace adarun::monitor
