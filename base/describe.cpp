// SPDX-License-Identifier: Apache-2.0
#include "base/describe.h"

#include <algorithm>
#include <array>

namespace adarun::base {
namespace {

constexpr std::array units{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};

std::string describe_tenths(std::uint64_t tenths, std::size_t unit) {
  for (; tenths >= 10'000 && unit + 1 < units.size(); ++unit) tenths /= 1000;
  std::string text = std::to_string(tenths / 10);
  if (unit > 0 && tenths % 10 > 0) text += "." + std::to_string(tenths % 10);
  return text + " " + units[unit];
}

std::string of_two_units(std::int64_t count, const char* large, std::int64_t small_per_large,
                         const char* small) {
  const std::int64_t rest = count % small_per_large;
  std::string text = std::to_string(count / small_per_large) + " " + large;
  return rest == 0 ? text : text + " " + std::to_string(rest) + " " + small;
}

}  // namespace

std::string describe(std::chrono::milliseconds time) {
  if (time < std::chrono::seconds(1)) return std::to_string(time.count()) + " ms";
  std::string text = std::to_string(time.count() / 1000);
  if (time.count() % 1000 >= 100) text += "." + std::to_string(time.count() % 1000 / 100);
  return text + " s";
}

std::string elapsed(std::chrono::milliseconds time) {
  if (time < std::chrono::minutes(1)) return describe(time);
  if (time < std::chrono::hours(1)) return of_two_units(time / std::chrono::seconds(1), "min", 60, "s");
  if (time < std::chrono::hours(24)) return of_two_units(time / std::chrono::minutes(1), "h", 60, "min");
  return of_two_units(time / std::chrono::hours(1), "d", 24, "h");
}

std::string describe_bytes(std::uint64_t size) {
  return size < 1000 ? describe_tenths(size * 10, 0) : describe_tenths(size / 100, 1);
}

std::string describe_bytes(double size) {
  if (!(size >= 1000)) return describe_bytes(static_cast<std::uint64_t>(std::max(0.0, size)));
  return describe_tenths(static_cast<std::uint64_t>(std::min(size, 1e21) / 100), 1);
}

std::pair<std::string, std::string> describe_too_many_bytes(double needed, double most) {
  constexpr double largest = 1e18;
  std::pair<std::string, std::string> text{describe_bytes(needed), describe_bytes(most)};
  if (text.first != text.second || !(needed < largest)) return text;
  const auto whole = [](double size) { return static_cast<std::uint64_t>(std::max(0.0, size)); };
  const bool is_cut = static_cast<double>(whole(needed)) < needed;
  return {std::to_string(whole(needed) + (is_cut ? 1 : 0)) + " bytes",
          std::to_string(whole(most)) + " bytes"};
}

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, ",");
  return digits;
}

std::string counted(std::size_t count, const std::string& thing) {
  return grouped(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace adarun::base
