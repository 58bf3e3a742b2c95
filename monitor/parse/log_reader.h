// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/parse/gradient_line.h"
#include "monitor/parse/line_pattern.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/loss_shape.h"
#include "monitor/parse/metric_line.h"

namespace adarun::monitor {

/// Receives what a log says, line by line.
struct LogListener {
  std::function<void(const LossLine&)> loss;
  std::function<void(const MetricLine&)> metrics;
  std::function<void(const GradientLine&)> gradient = [](const GradientLine&) {};
};

/// Reads a log in pieces as they come, for what parse_loss_line, parse_metric_line and parse_gradient_line
/// find in its lines, which base::log_lines cuts; the rest of an overlong line is dropped.
///
/// Fast where logs are large: text without a telling word is passed over, and lines of a shape that was seen
/// before are read by it.
class LogReader {
 public:
  using Patterns = std::shared_ptr<const std::vector<LinePattern>>;

  /// From now on each line is tried with these first, in order, and slower.
  void use(Patterns patterns) { patterns_ = std::move(patterns); }

  /// Tells of each line that these bytes complete, in order.
  void feed(std::string_view bytes, const LogListener& listener);

  /// Tells of a last line that has no end, when no more bytes will come.
  void finish(const LogListener& listener);

  /// Forgets the beginning of a line: its stream begins anew.
  void reset() { cutter_.reset(); }

 private:
  void read_lines(std::string_view lines, const LogListener& listener);
  void read_known_lines(std::string_view lines, const LogListener& listener);
  bool read_by_pattern(std::string_view line, const LogListener& listener) const;
  bool read_by_shape(std::string_view lines, std::size_t& at, const LogListener& listener);
  void read_line(std::string_view line, const LogListener& listener);
  void learn(std::string_view line, const LossPlaces& places);

  base::LineCutter cutter_{base::log_lines};
  Patterns patterns_;
  std::vector<LossShape> shapes_;  ///< The last ones.
  std::size_t oldest_ = 0;         ///< Which of them is replaced next.
};

}  // namespace adarun::monitor
