// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/run_identity.h"

#include <charconv>

namespace adarun::trainer {
namespace {

Facts facts_of(const TrainerOptions& options, const Reduction& reduction, const Model& model,
               std::size_t samples, int world_size) {
  const char* const reductions[] = {"adasum", "mean", "sum", "none"};
  return {{"model", model.name},
          {"image channels", std::to_string(model.shape.channels)},
          {"image size", std::to_string(model.shape.side)},
          {"number of classes", std::to_string(model.shape.classes)},
          {"dataset", options.dataset + " of " + std::to_string(samples)},
          {"number of ranks", std::to_string(world_size)},
          {"batch size", std::to_string(options.batch_size)},
          {"seed", std::to_string(options.seed)},
          {"optimizer", options.optimizer.name + (options.shard_optimizer ? ", sharded" : "")},
          {"reduction", reductions[static_cast<int>(reduction.reduce)]},
          {"adasum", options.adasum_on == AdasumOn::delta ? "of deltas" : "of gradients"}};
}

template <typename Number>
std::string number_text(Number number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

Facts optimizer_settings(const OptimizerOptions& options) {
  Facts settings = {{"--weight-decay", number_text(options.weight_decay)}};
  if (options.name == "momentum" || options.name == "lars")
    settings.emplace_back("--momentum", number_text(options.momentum));
  if (options.name == "lars") settings.emplace_back("--lars-rate", number_text(options.lars_rate));
  if (options.name == "adam" || options.name == "lamb") {
    settings.emplace_back("--beta1", number_text(options.beta1));
    settings.emplace_back("--beta2", number_text(options.beta2));
    settings.emplace_back("--epsilon", number_text(options.epsilon));
  }
  return settings;
}

/// Settings that a user may change between runs, but rarely intends to; a change is reported. Learning rate,
/// schedule and number of epochs are often changed on purpose, so they are not included.
Facts settings_of(const TrainerOptions& options, const Reduction& reduction) {
  const adasum::LossScaleOptions& scale = options.loss_scale;
  Facts settings = optimizer_settings(options.optimizer);
  settings.insert(settings.end(), {{"--label-smoothing", number_text(options.label_smoothing)},
                                   {"--loss-scale", scale.dynamic ? "dynamic" : number_text(scale.scale)},
                                   {"--drop-overflow", scale.drop_overflow ? "on" : "off"},
                                   {"--micro-batches", number_text(options.micro_batches)},
                                   {"--local-steps", number_text(options.local_steps)},
                                   {"--device-number",
                                    reduction.group_size == 1 ? "flat" : number_text(reduction.group_size)}});
  return settings;
}

}  // namespace

RunIdentity run_identity(const TrainerOptions& options, const Reduction& reduction, const Model& model,
                         std::size_t samples, int world_size) {
  return {"", facts_of(options, reduction, model, samples, world_size), settings_of(options, reduction)};
}

}  // namespace adarun::trainer
