// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/system_text.h"
#include "trainer/base/error.h"

namespace adarun::trainer {

using Json = nlohmann::ordered_json;

JsonLines::JsonLines(std::string file, Print print, Unopened unopened)
    : file_(std::move(file)), print_(std::move(print)), out_(file_, std::ios::app) {
  if (out_) return;
  if (unopened == Unopened::is_an_error) throw Error(file_ + ": cannot be opened for writing");
  tell("cannot be opened for writing");
}

void JsonLines::tell(const char* what) {
  print_(file_ + ": " + what + ": " + base::system_text(errno) + "; the training goes on without it");
}

void JsonLines::write(const std::string& line) {
  if (!out_) return;
  errno = 0;
  out_ << line << std::endl;
  if (!out_) tell("cannot be written");
}

double JsonLines::time_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void JsonLines::step_dropped(const Progress& at, int rank, double scale) {
  write(Json{
      {"event", "dropped"}, {"epoch", at.epoch}, {"step", at.step}, {"rank", rank}, {"loss_scale", scale}}
            .dump());
}

void JsonLines::step_end(const Progress& progress) {
  write(Json{{"event", "step"},
             {"epoch", progress.epoch},
             {"step", progress.step},
             {"loss", progress.loss},
             {"lr", progress.rate},
             {"time_s", time_s()}}
            .dump());
}

void JsonLines::adasum(const Progress& progress, const std::vector<LayerDiagnostics>& layers) {
  Json seen;
  for (const LayerDiagnostics& layer : layers) {
    seen[layer.name] = {
        {"cosine", layer.cosine}, {"orthogonality", layer.orthogonality}, {"to_sum", layer.to_sum}};
  }
  write(
      Json{{"event", "adasum"}, {"epoch", progress.epoch}, {"step", progress.step}, {"layers", seen}}.dump());
}

void JsonLines::epoch_end(const Progress& last) {
  write(Json{{"event", "epoch"}, {"epoch", last.epoch}, {"steps", last.step}, {"time_s", time_s()}}.dump());
}

}  // namespace adarun::trainer
