// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/line_cutter.h"
#include "monitor/parse/line_pattern.h"
#include "monitor/parse/loss_line.h"
#include "monitor/parse/loss_shape.h"
#include "monitor/parse/metric_line.h"

namespace adarun::monitor {

/// The number of an epoch on a line of its own, before the lines of its steps, as Keras prints it.
struct EpochLine {
  std::uint64_t epoch = 0;
  std::optional<std::uint64_t> epochs;  ///< 10 in "Epoch 3/10".

  bool operator==(const EpochLine&) const = default;
};

/// Reads a line that has no other word: "Epoch 3/10", "EPOCH 3:", "----- Epoch [3/10] -----". Nothing for
/// other lines, such as "Saved epoch 3".
std::optional<EpochLine> parse_epoch_line(std::string_view line);

/// The last such line of a log, which tells the epoch of the loss lines below it, up to one that tells it
/// itself.
class EpochHeading {
 public:
  void begin(const EpochLine& line);

  /// Whether it tells the epoch of the next loss line.
  bool holds_for(const LossLine& line) {
    if (line_ && line.epoch) line_.reset();
    return line_.has_value();
  }

  /// Sets the epoch of a line that it holds for. Returns false if the line is of an evaluation after the
  /// epoch: Keras prints it as a training's, but with another number of steps ("313/313" after "1875/1875").
  bool complete(LossLine& line);

 private:
  std::optional<EpochLine> line_;
  std::optional<std::uint64_t> steps_;  ///< Of the first line below it.
};

/// Receives what the lines of a log report. A line with losses of both the training and a validation is
/// reported to `loss` first.
struct LogListener {
  std::function<void(const LossLine&)> loss;
  std::function<void(const MetricLine&)> metrics;
  std::function<void(const GradientLine&)> gradient = [](const GradientLine&) {};
  std::function<void(const LossLine&)> validation = [](const LossLine&) {};
};

/// Reads a log piece by piece and reports what parse_losses, parse_metric_line and parse_gradient_line find
/// in its lines. The epoch of a loss may be in a line before it (see EpochHeading), and that of an indented
/// line in the last one above that is not, as Composer and OLMo print it ("[batch=7/100]:"). Lines are cut by
/// base::log_lines; the rest of an overlong line is dropped.
///
/// Fast for large logs: text without a keyword is skipped, and lines of a known shape are read by LossShape.
class LogReader {
 public:
  using Patterns = std::shared_ptr<const std::vector<LinePattern>>;

  /// From now on each line is first matched against these patterns, in order. This is slower.
  void use(Patterns patterns) { patterns_ = std::move(patterns); }

  /// Reports each line that these bytes complete, in order.
  void feed(std::string_view bytes, const LogListener& listener);

  /// Reports the last line, which has no line end. Call it when no more bytes will come.
  void finish(const LogListener& listener);

  /// Drops an incomplete line. Call it when the stream begins again.
  void reset() {
    cutter_.reset();
    heading_ = {};
    above_.clear();
  }

 private:
  void read_lines(std::string_view lines, const LogListener& listener);
  void read_known_lines(std::string_view lines, const LogListener& listener);
  bool read_by_pattern(std::string_view line, const LogListener& listener) const;
  bool read_by_shape(std::string_view lines, std::size_t& at, const LogListener& listener);
  void read_line(std::string_view lines, std::size_t at, std::size_t length, const LogListener& listener);
  LossLine place_above(std::string_view lines_before) const;
  void keep_end_of(std::string_view lines);
  void report(const LossLine& line, const LogListener& listener);
  void report_validation(LossLine line, const LogListener& listener);
  void learn(std::string_view line, const LossPlaces& places);

  base::LineCutter cutter_{base::log_lines};
  Patterns patterns_;
  EpochHeading heading_;
  std::string above_;              ///< The end of the lines read before.
  std::vector<LossShape> shapes_;  ///< The shapes learnt last.
  std::size_t oldest_ = 0;         ///< Index of the shape to replace next.
};

}  // namespace adarun::monitor
