// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace adarun::monitor {

/// What a line reports about a training besides its loss.
struct MetricLine {
  std::optional<double> epoch_ms;      ///< "Train epoch time: 1234.567 ms", "epoch time: 1234.567 ms"
  std::optional<double> step_ms;       ///< "per step time: 12.345 ms"
  std::optional<double> images_per_s;  ///< "throughput: 1234.5 images/s"
  std::optional<double> accuracy;  ///< 0 to 1: "accuracy: 0.98", "accuracy: 98%", "Accuracy: 980/1000 (98%)"
  std::optional<double> learning_rate = std::nullopt;  ///< Only a user's pattern gives it.

  /// The number of steps in an epoch, if both times are present and precise enough.
  std::optional<std::uint64_t> steps_per_epoch() const;

  bool operator==(const MetricLine&) const = default;
};

/// Reads one line of a log; the last line of an evaluation ("Eval result: epoch 3, metrics: {'acc': 0.98}")
/// gives its accuracy. Nothing for a line without any of these.
std::optional<MetricLine> parse_metric_line(std::string_view line);

/// A line that says why our training ended: the gradients of `rank`, and of no lower rank, contained nan or
/// an infinity.
struct GradientLine {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::uint32_t rank = 0;

  bool operator==(const GradientLine&) const = default;
};

/// Reads a line "In epoch: 2 step: 17, gradient of rank 3 is NAN or INF, ...", which every rank prints
/// identically; nothing for other lines.
std::optional<GradientLine> parse_gradient_line(std::string_view line);

/// What our trainer prints about the vectors that AdaSum combined.
struct AdasumLine {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  double orthogonality = 0;  ///< Over all layers. `lowest` and `highest` are the extremes of a single layer.
  double lowest = 0;
  double highest = 0;
  double cosine = 0;

  bool operator==(const AdasumLine&) const = default;
};

/// Reads "adasum: epoch 1 step 10, orthogonality 0.132 (0.073 conv1.bias - 0.204 fc1.weight), cosine 0.424";
/// nothing for other lines.
std::optional<AdasumLine> parse_adasum_line(std::string_view line);

}  // namespace adarun::monitor
