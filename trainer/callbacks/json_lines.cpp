// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <nlohmann/json.hpp>

#include "trainer/base/error.h"

namespace adarun::trainer {

using Json = nlohmann::ordered_json;

JsonLines::JsonLines(const std::string& file) : out_(file, std::ios::app) {
  if (!out_) throw Error(file + ": cannot be opened for writing");
}

double JsonLines::time_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void JsonLines::step_dropped(const Progress& at, int rank, double scale) {
  out_ << Json{{"event", "dropped"},
               {"epoch", at.epoch},
               {"step", at.step},
               {"rank", rank},
               {"loss_scale", scale}}
       << std::endl;
}

void JsonLines::step_end(const Progress& progress) {
  out_ << Json{{"event", "step"},       {"epoch", progress.epoch}, {"step", progress.step},
               {"loss", progress.loss}, {"lr", progress.rate},     {"time_s", time_s()}}
       << std::endl;
}

void JsonLines::adasum(const Progress& progress, const std::vector<LayerDiagnostics>& layers) {
  Json seen;
  for (const LayerDiagnostics& layer : layers) {
    seen[layer.name] = {
        {"cosine", layer.cosine}, {"orthogonality", layer.orthogonality}, {"to_sum", layer.to_sum}};
  }
  out_ << Json{{"event", "adasum"}, {"epoch", progress.epoch}, {"step", progress.step}, {"layers", seen}}
       << std::endl;
}

void JsonLines::epoch_end(const Progress& last) {
  out_ << Json{{"event", "epoch"}, {"epoch", last.epoch}, {"steps", last.step}, {"time_s", time_s()}}
       << std::endl;
}

}  // namespace adarun::trainer
