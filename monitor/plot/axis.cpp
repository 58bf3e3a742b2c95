// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/axis.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace adarun::monitor::plot {

std::vector<double> round_numbers(double from, double to, int count) {
  const double raw = (to - from) / count;
  if (!(raw > 0) || !std::isfinite(raw)) return {from};
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double each : {5.0, 2.0, 1.0})
    if (each * power >= raw) step = each * power;
  std::vector<double> numbers;
  const double first = std::ceil(from / step);
  for (int i = 0; i <= 2 * count && (first + i) * step <= to + step * 1e-9; ++i)
    numbers.push_back((first + i) * step);
  return numbers;
}

std::string axis_text(double value) {
  std::array<char, 40> text{};
  constexpr double million = 1e6;
  const bool large = std::abs(value) >= million;
  std::snprintf(text.data(), text.size(), large ? "%.6gM" : "%.6g", large ? value / million : value);
  return text.data();
}

}  // namespace adarun::monitor::plot
