// SPDX-License-Identifier: Apache-2.0
#include "monitor/base/text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "base/describe.h"

namespace adarun::monitor {

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

std::string place_text(std::uint64_t epoch, std::uint64_t step) {
  return "epoch " + std::to_string(epoch) + " step " + std::to_string(step);
}

std::string throughput_text(double images_per_s) {
  return base::grouped(static_cast<std::size_t>(std::llround(images_per_s))) + " images/s";
}

std::string clock_text(std::int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

}  // namespace adarun::monitor
