// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/adasum_monitor.h"

#include <algorithm>
#include <cstdio>

namespace adarun::trainer {
namespace {

double mean_cosine(const adasum::TensorDiagnostics& of) {
  const std::size_t participants = of.norms.size();
  if (participants < 2) return 1;
  double sum = 0;
  for (std::size_t i = 0; i < participants; ++i) {
    for (std::size_t j = i + 1; j < participants; ++j) sum += of.cosines[i * participants + j];
  }
  return sum / (static_cast<double>(participants * (participants - 1)) / 2);
}

double mean(const std::vector<LayerDiagnostics>& layers, double LayerDiagnostics::*of) {
  double sum = 0;
  for (const LayerDiagnostics& layer : layers) sum += layer.*of;
  return sum / static_cast<double>(layers.size());
}

std::string three_digits(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", number);
  return text;
}

}  // namespace

std::vector<LayerDiagnostics> layer_diagnostics(const std::vector<std::string>& names,
                                                const std::vector<adasum::TensorDiagnostics>& tensors) {
  std::vector<LayerDiagnostics> layers;
  const std::size_t first = names.size() - tensors.size();
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    layers.push_back(
        {names[first + t], mean_cosine(tensors[t]), tensors[t].orthogonality, tensors[t].to_sum});
  }
  return layers;
}

std::string adasum_line(int epoch, int step, const std::vector<LayerDiagnostics>& layers) {
  const auto [least, most] = std::ranges::minmax_element(layers, {}, &LayerDiagnostics::orthogonality);
  return "adasum: epoch " + std::to_string(epoch) + " step " + std::to_string(step) + ", orthogonality " +
         three_digits(mean(layers, &LayerDiagnostics::orthogonality)) + " (" +
         three_digits(least->orthogonality) + " " + least->name + " - " + three_digits(most->orthogonality) +
         " " + most->name + "), cosine " + three_digits(mean(layers, &LayerDiagnostics::cosine));
}

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
