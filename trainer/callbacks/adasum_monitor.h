// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trainer/callbacks/callback.h"
#include "trainer/callbacks/json_lines.h"
#include "trainer/callbacks/layer_diagnostics.h"

namespace adarun::trainer {

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
