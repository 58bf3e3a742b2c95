// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/saver.h"

#include <span>
#include <vector>

#include "trainer/checkpoint/run_identity.h"

namespace adarun::trainer {
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
