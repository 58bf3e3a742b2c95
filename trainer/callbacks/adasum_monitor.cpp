// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/adasum_monitor.h"

namespace adarun::trainer {

void AdasumMonitor::step_end(const Progress& progress) {
  const bool dropped = std::exchange(dropped_, false);
  if (progress.step % steps_ == 0) due_ = true;
  if (dropped || has_nothing_ || !due_) return;
  const auto tensors = source_();
  if (!tensors) return;
  due_ = false;
  const std::vector<LayerDiagnostics> layers = layer_diagnostics(names_, *tensors);
  if (layers.empty()) {
    print_("adasum: nothing is seen of single layers here (more than 16 ranks or groups, or several nodes)");
    has_nothing_ = true;
    return;
  }
  print_(adasum_line(progress.epoch, progress.step, layers));
  if (metrics_ != nullptr) metrics_->adasum(progress, layers);
}

}  // namespace adarun::trainer
