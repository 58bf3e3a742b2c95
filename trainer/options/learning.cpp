// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/error.h"
#include "trainer/options/groups.h"

namespace adarun::trainer::options {
namespace {

adasum::LossScaleOptions loss_scale(const std::string& text, const adasum::LossScaleOptions& before) {
  if (text == "dynamic") return {0x1p24, true, before.drop_overflow};
  const std::optional<double> scale = plain_number(text);
  // Beyond these limits, a gradient divided by the scale leaves the range of float.
  if (!scale || *scale < 0x1p-60 || *scale > 0x1p60) {
    throw Error(
        "--loss-scale " + text + ": wanted a number from 2^-60 to 2^60 (8.7e-19 to 1.15e18), or dynamic",
        Exit::usage);
  }
  return {*scale, false, before.drop_overflow};
}

}  // namespace

void add_learning(CLI::App& app, TrainerOptions& options) {
  OptimizerOptions& optimizer = options.optimizer;
  app.add_option("--optimizer", optimizer.name)
      ->check(CLI::IsMember(optimizer_names()))
      ->capture_default_str();
  add_number(app, "--lr", optimizer.learning_rate, 0, 1e6,
             "Learning rate; what the schedule reaches after its warm-up");
  add_number(app, "--momentum", optimizer.momentum, 0, 1, "Of momentum and lars");
  app.add_flag("--nesterov", optimizer.nesterov,
               "Of momentum: step by the gradient and the velocity behind it");
  add_number(app, "--weight-decay", optimizer.weight_decay, 0, 1,
             "On weights, not on biases and normalizations");
  add_number(app, "--beta1", optimizer.beta1, 0, 0.999999, "Of adam and lamb");
  add_number(app, "--beta2", optimizer.beta2, 0, 0.999999, "Of adam and lamb");
  add_number(app, "--epsilon", optimizer.epsilon, 0, 1, "Of adam and lamb");
  add_number(app, "--lars-rate", optimizer.lars_rate, 0, 1, "Of lars: a step as a part of a tensor's length");
  add_number(app, "--label-smoothing", options.label_smoothing, 0, 1,
             "What the other classes' targets share");
  app.add_option_function<std::string>(
      "--loss-scale",
      [&options](const std::string& text) { options.loss_scale = loss_scale(text, options.loss_scale); },
      "N|dynamic: losses are multiplied by it before the backward pass; N from 2^-60 to 2^60 (default: 1)");
  app.add_flag("--drop-overflow", options.loss_scale.drop_overflow,
               "Leave steps out whose gradients overflow, on all ranks, instead of ending");
  add_whole_number(app, "--micro-batches", options.micro_batches, {1, 1 << 20},
                   "Parts in which a batch goes through the model")
      ->capture_default_str();
  add_whole_number(app, "--local-steps", options.local_steps, {1, 1 << 20},
                   "Steps of each rank from one combination to the next")
      ->capture_default_str();
}

void add_schedule(CLI::App& app, TrainerOptions& options) {
  ScheduleOptions& schedule = options.schedule;
  app.add_option("--schedule", schedule.name, "How the learning rate goes from step to step")
      ->check(CLI::IsMember(schedule_names()))
      ->capture_default_str();
  add_number(app, "--warmup-epochs", schedule.warmup_epochs, 0, 1e6,
             "The rate rises so long, parts of epochs too");
  add_number(app, "--lr-start", schedule.start, 0, 1e6, "Where the warm-up begins");
  add_number(app, "--lr-end", schedule.end, 0, 1e6, "Where linear and cosine end");
}

}  // namespace adarun::trainer::options
