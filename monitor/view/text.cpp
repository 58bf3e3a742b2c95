// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/clean_text.h"
#include "monitor/parse/scan.h"

namespace adarun::monitor {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// The first `columns` code points.
std::string_view first_columns(std::string_view utf8, int columns) {
  std::size_t end = 0;
  for (; end < utf8.size(); ++end) {
    if (!continues(utf8[end]) && columns-- == 0) break;
  }
  return utf8.substr(0, end);
}

std::string_view sequence(Paint paint) {
  switch (paint) {
    case Paint::normal:
      return "";
    case Paint::dim:
      return "\x1b[90m";
    case Paint::curve:
      return "\x1b[36m";
    case Paint::good:
      return "\x1b[32m";
    case Paint::warning:
      return "\x1b[33m";
    case Paint::bad:
      return "\x1b[31m";
    case Paint::strong:
      return "\x1b[1m";
  }
  return "";
}

}  // namespace

Line& Line::add(std::string_view utf8, Paint paint) {
  const std::string_view fits = first_columns(utf8, std::max(left(), 0));
  if (fits.empty()) return *this;
  const bool painted = color_ && paint != Paint::normal;
  if (painted) bytes_ += sequence(paint);
  bytes_ += fits;
  if (painted) bytes_ += "\x1b[0m";
  columns_ += columns_of(fits);
  return *this;
}

Line& Line::pad_to(int column) {
  return column > columns_ ? add(std::string(static_cast<std::size_t>(column - columns_), ' ')) : *this;
}

Line& Line::add_right(std::string_view utf8, int field, Paint paint) {
  pad_to(columns_ + field - columns_of(utf8));
  return add(utf8, paint);
}

int columns_of(std::string_view utf8) {
  return static_cast<int>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return !continues(c); }));
}

std::string loss_text(double loss) {
  if (std::isnan(loss)) return "nan";
  if (std::isinf(loss)) return loss > 0 ? "inf" : "-inf";
  const double size = std::fabs(loss);
  const char* format = "%.1e";
  if (size == 0 || (size >= 1e-3 && size < 10)) {
    format = "%.4f";
  } else if (size >= 1e-3 && size < 100) {
    format = "%.3f";
  } else if (size >= 1e-3 && size < 10000) {
    format = "%.1f";
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, loss);
  return text.data();
}

std::string count_text(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string clock_text(std::int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

std::string printable(std::string_view text) {
  std::string buffer;
  return base::clean_line(visible_text(text, buffer), std::string::npos);
}

}  // namespace adarun::monitor
