// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <charconv>
#include <span>
#include <vector>

namespace adarun::trainer {
namespace {

template <typename Number>
std::string number_text(Number number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string optimizer_fact(const TrainerOptions& options) {
  if (const auto& reduced = options.boost.dim_reduce) {
    return "dim_reduce of " + number_text(reduced->components) + " dimensions, rho " +
           number_text(reduced->rho) + ", gamma " + number_text(reduced->gamma) + ", alpha " +
           number_text(reduced->alpha) + ", sigma " + number_text(reduced->sigma);
  }
  return options.optimizer.name + (options.shard_optimizer ? ", sharded" : "");
}

std::string grad_freeze_fact(const BoostOptions& boost) {
  if (!boost.grad_freeze) return "";
  const GradFreezeOptions& freeze = *boost.grad_freeze;
  return number_text(freeze.groups) +
         (freeze.order == FreezeOrder::drawn ? " groups drawn" : " groups in turn") + ", freeze_p " +
         number_text(freeze.full_share) + ", total_steps " + number_text(freeze.total_steps);
}

Facts facts_of(const TrainerOptions& options, const Reduction& reduction, const Model& model,
               std::size_t samples, int world_size) {
  const char* const reductions[] = {"adasum", "mean", "sum", "none"};
  Facts facts = model_facts(model);
  facts.insert(facts.end(),
               {{"dataset", options.dataset + " of " + std::to_string(samples)},
                {ranks_fact, std::to_string(world_size)},
                {"batch size", std::to_string(options.batch_size)},
                {"seed", std::to_string(options.seed)},
                {"optimizer", optimizer_fact(options)},
                {reduction_fact, reductions[static_cast<int>(reduction.reduce)]},
                {adasum_fact, options.adasum_on == AdasumOn::delta ? "of deltas" : "of gradients"},
                {"centralized gradients", centralizes_gradients(options) ? "yes" : ""},
                {"grad_freeze", grad_freeze_fact(options.boost)}});
  return facts;
}

Facts optimizer_settings(const OptimizerOptions& options) {
  Facts settings = {{"--weight-decay", number_text(options.weight_decay)}};
  if (options.name == "momentum" || options.name == "lars")
    settings.emplace_back("--momentum", number_text(options.momentum));
  if (options.name == "momentum") settings.emplace_back("--nesterov", options.nesterov ? "on" : "off");
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
  Facts settings = options.boost.dim_reduce ? Facts{} : optimizer_settings(options.optimizer);
  settings.insert(
      settings.end(),
      {{"--label-smoothing", number_text(options.label_smoothing)},
       {"--loss-scale", scale.dynamic ? "dynamic" : number_text(scale.scale)},
       {"--drop-overflow", scale.drop_overflow ? "on" : "off"},
       {"--micro-batches", number_text(options.micro_batches)},
       {"--local-steps", number_text(options.local_steps)},
       {"--device-number", reduction.group_size == 1 ? "flat" : number_text(reduction.group_size)},
       {"--group-gain", reduction.group_gain == adasum::GroupGain::spread ? "spread" : "none"},
       {"--adasum-per", reduction.per == AdasumPer::row ? "row" : "tensor"}});
  return settings;
}

}  // namespace

Facts model_facts(const Model& model) {
  std::string less_bn = model.layers.fewer_batch_norms ? "on" : "";
  if (model.layers.normalized_scores) less_bn += ", normalized scores";
  return {{"model", model.name},
          {"less_bn", less_bn},
          {"image channels", std::to_string(model.shape.channels)},
          {"image size", std::to_string(model.shape.side)},
          {"number of classes", std::to_string(model.shape.classes)}};
}

RunIdentity run_identity(const TrainerOptions& options, const Reduction& reduction, const Model& model,
                         std::size_t samples, int world_size) {
  return {"", facts_of(options, reduction, model, samples, world_size), settings_of(options, reduction)};
}

namespace {

RunIdentity with_optimizer(RunIdentity identity, const Learner& learner) {
  identity.job.emplace_back("basis", learner.optimizer_identity());
  return identity;
}

}  // namespace

Saver::Saver(const TrainerOptions& options, const Reduction& reduction, const Model& model,
             const Dataset& dataset, TrainingState& state, const Learner& learner,
             adasum::Communicator& communicator, const SplitRun* split)
    : state_(state),
      checkpoints_(options.checkpoint_dir,
                   with_optimizer(
                       run_identity(options, reduction, model, dataset.size(), communicator.size()), learner),
                   ownership_of(options, reduction, split, communicator.size()), communicator,
                   options.checkpoint_keep) {}

void Saver::save(const Progress& at) {
  state_.gather();
  const std::vector<std::span<float>> all = state_.values();
  checkpoints_.save(state_.after(at), at.all_steps, {all.begin(), all.end()});
  state_.clear();
}

std::optional<Position> Saver::begin(const ResumePolicy& policy, const Print& print) {
  const auto room = [&](int ranks) {
    state_.make_room(ranks);
    return state_.values();
  };
  const std::optional<LoadedCheckpoint> loaded = checkpoints_.begin(policy, room);
  if (!loaded) {
    state_.clear();
    return std::nullopt;
  }
  const Position position = state_.restore(loaded->state, loaded->steps, loaded->ranks);
  for (const std::string& note : loaded->notes) print(note);
  return position;
}

}  // namespace adarun::trainer
