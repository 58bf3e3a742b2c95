// SPDX-License-Identifier: Apache-2.0
#include "trainer/callbacks/json_lines.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace adarun::trainer {
namespace {

constexpr std::chrono::seconds reader_timeout{10};

}  // namespace

using Json = nlohmann::ordered_json;

JsonLines::JsonLines(std::string file, Print print, Unopened unopened) : print_(std::move(print)) {
  try {
    out_.emplace(std::move(file), reader_timeout);
  } catch (const Error& error) {
    if (unopened == Unopened::is_an_error) throw;
    tell(error);
  }
}

void JsonLines::tell(const Error& error) {
  print_(std::string(error.what()) + "; the training goes on without it");
}

void JsonLines::write(const std::string& line) {
  if (!out_) return;
  try {
    out_->write(line);
  } catch (const Error& error) {
    out_.reset();
    tell(error);
  }
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
