// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adasum/diagnostics.h"
#include "trainer/callbacks/callback.h"
#include "trainer/callbacks/json_lines.h"

namespace adarun::trainer {

/// How similar the participants' vectors of one layer's tensor were when AdaSum combined them.
struct LayerDiagnostics {
  std::string name;
  double cosine = 0;         ///< The mean over every two participants.
  double orthogonality = 0;  ///< |result|^2 / sum of |g_i|^2: 1 if orthogonal, 1/participants if equal.
  double to_sum = 0;         ///< |result| / |sum of g_i|: 1 if the result of AdaSum is the sum.
};

/// One entry for each of `tensors`, which are the last ones of those that have `names`.
std::vector<LayerDiagnostics> layer_diagnostics(const std::vector<std::string>& names,
                                                const std::vector<adasum::TensorDiagnostics>& tensors);

/// `adasum: epoch 1 step 10, orthogonality 0.431 (0.105 conv1.weight - 0.873 fc1.weight), cosine 0.213`:
/// means over the layers, and the layers with the lowest and highest value.
std::string adasum_line(int epoch, int step, const std::vector<LayerDiagnostics>& layers);

/// Every so many steps of an epoch, prints how similar the vectors were that AdaSum combined, and writes this
/// per layer to the metrics. After a step that combined nothing, or was skipped, it does so at the next one
/// that combines. Use it on one rank: all ranks would print the same.
class AdasumMonitor : public Callback {
 public:
  /// Diagnostics of each tensor from the combination of this step; empty if there never are any; nothing if
  /// this step combined nothing.
  using Source = std::function<std::optional<std::vector<adasum::TensorDiagnostics>>()>;

  /// `names` of the tensors. `metrics` may be null, else it must outlive this object.
  AdasumMonitor(Print print, std::vector<std::string> names, Source source, int steps, JsonLines* metrics)
      : print_(std::move(print)),
        names_(std::move(names)),
        source_(std::move(source)),
        steps_(steps),
        metrics_(metrics) {}

  void step_dropped(const Progress& /*at*/, int /*rank*/, double /*scale*/) override { dropped_ = true; }
  void step_end(const Progress& progress) override;

 private:
  Print print_;
  std::vector<std::string> names_;
  Source source_;
  int steps_;
  JsonLines* metrics_;
  bool due_ = false;
  bool dropped_ = false;      // this step
  bool has_nothing_ = false;  // and has printed so
};

}  // namespace adarun::trainer
