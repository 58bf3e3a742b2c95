// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/run.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/types/error.h"
#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"
#include "trainer/callbacks/adasum_monitor.h"
#include "trainer/callbacks/checkpointer.h"
#include "trainer/callbacks/evaluator.h"
#include "trainer/callbacks/json_lines.h"
#include "trainer/callbacks/monitors.h"
#include "trainer/checkpoint/saver.h"
#include "trainer/data/datasets/wrappers.h"
#include "trainer/models/models.h"
#include "trainer/parallel/split_run.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/memory_limit.h"
#include "trainer/run/plan_of_run.h"
#include "trainer/run/run_header.h"
#include "trainer/run/same_on_all_ranks.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

std::unique_ptr<Dataset> open(const TrainerOptions& options, DatasetPart part, const Sharing& sharing) {
  const bool holds_out = options.hold_out > 0;
  auto dataset = open_dataset(options.dataset, options.data_path, holds_out ? DatasetPart::train : part,
                              options.seed, sharing);
  if (holds_out) {
    dataset = hold_out(std::move(dataset), static_cast<std::size_t>(options.hold_out), part);
  }
  if (options.skip_corrupt == 0) return dataset;
  return std::make_unique<SkipCorruptDataset>(std::move(dataset), options.skip_corrupt);
}

/// The model takes the channels of the data set, and its default image size unless the user sets another.
ModelShape shape_for(const TrainerOptions& options, const Dataset& dataset) {
  const int classes = options.classes.value_or(dataset.classes());
  if (classes < dataset.classes()) {
    throw Error("--num-classes " + std::to_string(classes) + ": the data set has " +
                    std::to_string(dataset.classes()),
                Exit::refused);
  }
  return {dataset.channels(), options.image_size.value_or(default_side(options.model)), classes};
}

void print_checksum(const Weights& weights, const char* when, const Print& print) {
  char text[80];
  std::snprintf(text, sizeof text, "weights: checksum 0x%016llx at %s",
                static_cast<unsigned long long>(checksum(weights.values())), when);
  print(text);
}

/// Each rank draws different weights, so equal weights show that the broadcast works. Data that AdaSum
/// combines is in memory of its engine.
Weights first_weights(const Model& model, const TrainerOptions& options, const ReduceContext& context,
                      std::optional<c10::Device> device) {
  if (context.split != nullptr) {
    Weights parts(model, 0);
    context.split->draw(options.seed, parts);
    return parts;
  }
  const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(context.communicator.rank());
  if (!context.engine) return {model, seed, {}, {}, device};
  const Weights::Allocate shared = [&context](std::size_t count) { return context.allocate(count); };
  if (options.adasum_on == AdasumOn::delta) return {model, seed, shared, {}, device};
  return {model, seed, {}, shared, device};
}

std::vector<std::string> names_of(const std::vector<TensorShape>& tensors) {
  std::vector<std::string> names;
  for (const TensorShape& tensor : tensors) names.push_back(tensor.name);
  return names;
}

/// How the accuracy of `model` is measured in a training by `reduction`.
Evaluation evaluation_of(const Model& model, const TrainerOptions& options, const Reduction& reduction) {
  const auto of_pass = static_cast<std::size_t>(options.batch_size / options.micro_batches);
  return {.images = images_at_once(model, of_pass),
          .statistics = reduction.reduce == Reduce::none ? Statistics::own : Statistics::mean,
          .workers = options.workers.value_or(0)};
}

/// Resumes from the latest checkpoint if the user requests it, or on a restart if the checkpoint is of this
/// job.
Position resume(const TrainerOptions& options, Saver& saver, const Print& print) {
  const Resume own = options.restarted ? Resume::of_job : Resume::never;
  const std::optional<Position> position =
      saver.begin({options.resume ? Resume::always : own, options.job_id}, print);
  if (!position && !options.resume && !options.restarted) return {};
  if (!position) {
    print("resumed: " + options.checkpoint_dir + " has no checkpoint: from the start");
    return {};
  }
  print("resumed: epoch " + std::to_string(position->epoch) + ", " + std::to_string(position->steps) +
        " steps of it done");
  return *position;
}

/// Continues with what the ranks have in memory.
Position continue_with(const Snapshot& snapshot, TrainingState& state, Saver* saver, const Print& print) {
  const Position position = proceed(snapshot, state);
  if (saver != nullptr) saver->proceed(snapshot.run);
  print("continues: epoch " + std::to_string(position.epoch) + ", " + std::to_string(position.steps) +
        " steps of it done");
  return position;
}

/// What run() is called with.
struct RunSetting {
  const TrainerOptions& options;
  const Reduction& reduction;
  adasum::Communicator& communicator;
  const Print& print;
  std::optional<c10::Device> device;
  Continuation* continuation;
  const Snapshot* earlier;  // what this training continues from in memory; null: nothing
};

/// What the ranks learn from and are measured on, the same on all of them.
struct RunData {
  /// Collective. Throws Error (refused) where ranks have other data or options.
  explicit RunData(const RunSetting& of);

  NodeSharing sharing;
  std::unique_ptr<Dataset> train;
  std::unique_ptr<Dataset> test;  // null: nothing is evaluated
  std::string setup;              // Snapshot::setup
};

RunData::RunData(const RunSetting& of)
    : sharing(of.communicator.split_by_node()),
      train(open(of.options, DatasetPart::train, sharing)),
      test(of.options.evaluate ? open(of.options, DatasetPart::test, sharing) : nullptr) {
  const FoundData found = found_in(*train);
  const std::optional<FoundData> found_test = test ? std::optional(found_in(*test)) : std::nullopt;
  setup = of.options.same_on_all + line_of(found, DatasetPart::train) +
          (found_test ? line_of(*found_test, DatasetPart::test) : "");
  if (of.earlier != nullptr) check_same_setup(setup, of.earlier->setup);
  // Ranks that learn by themselves may do so with other options.
  check_same_options(of.reduction.reduce == Reduce::none ? "" : of.options.same_on_all, of.communicator);
  check_same_data(found, DatasetPart::train, of.communicator);
  if (found_test) check_same_data(*found_test, DatasetPart::test, of.communicator);
}

/// The layers of `whole` as the plan of this training splits them; null without one. Throws Error if this
/// rank's share of the memory of `node` is too small for the training.
std::unique_ptr<SplitRun> split_run(const RunSetting& of, const Model& whole, adasum::Communicator& node) {
  const std::optional<MemoryLimit> left = memory_limit_at_start(node);
  const std::optional<MemoryLimit> limit = of.device ? std::nullopt : left;
  std::vector<planner::Strategy> strategies =
      plan_of_run(of.options, whole, limit, of.communicator, of.print);
  auto split = strategies.empty() ? nullptr
                                  : std::make_unique<SplitRun>(whole, std::move(strategies), of.communicator);
  if (limit) {
    check_memory(whole, of.options, of.communicator.rank(), of.communicator.size(),
                 split ? split->strategies() : std::vector<planner::Strategy>{}, *limit);
  }
  return split;
}

ReduceContext context_for(const RunSetting& of, SplitRun* split) {
  if (split != nullptr) return {*split, of.reduction};
  return {of.communicator, of.reduction,
          of.options.adasum_diagnostics > 0 ? Diagnostics::yes : Diagnostics::no};
}

/// Gives all ranks the weights of rank 0, unless each has parts of its own, and makes what learns them.
Learner start_learner(const RunSetting& of, const Model& model, Weights& weights,
                      const ReduceContext& context) {
  if (context.split == nullptr) of.communicator.broadcast(std::as_writable_bytes(weights.values()), 0);
  if (of.communicator.rank() == 0) {
    for (const std::string& line : boost_lines(model, of.options, of.reduction)) of.print(line);
  }
  return make_learner(model, weights, context, of.options);
}

/// What is trained, and by what. Collective.
struct RunModel {
  RunModel(const RunSetting& of, const RunData& data)
      : whole(model_named(of.options.model, shape_for(of.options, *data.train),
                          layer_options(of.options.boost))),
        split(split_run(of, whole, data.sharing.node())),
        model(split ? split->model() : whole),
        context(context_for(of, split.get())),
        weights(first_weights(model, of.options, context, of.device)),
        learner(start_learner(of, model, weights, context)) {}

  Model whole;
  std::unique_ptr<SplitRun> split;
  const Model& model;  // `whole`, or this rank's parts of it
  ReduceContext context;
  Weights weights;
  Learner learner;
};

/// What prints and measures during the training, in the order in which it is called.
struct RunCallbacks {
  RunCallbacks(const RunSetting& of, const RunData& data, RunModel& model);

  template <typename Kind, typename... Arguments>
  Kind& add(Arguments&&... arguments) {
    auto made = std::make_unique<Kind>(std::forward<Arguments>(arguments)...);
    Kind& kind = *made;
    all.push_back(std::move(made));
    return kind;
  }

  std::vector<std::unique_ptr<Callback>> all;
  Evaluator* evaluator = nullptr;  // one of them; null: nothing is evaluated
};

void add_monitors(RunCallbacks& callbacks, const RunSetting& of, const RunModel& model) {
  const TrainerOptions& options = of.options;
  callbacks.add<LossMonitor>(of.print, options.sink ? 0 : options.log_every);
  callbacks.add<TimeMonitor>(of.print, of.communicator, options.batch_size);
  if (of.communicator.rank() != 0) return;
  // The rank that writes it now may be on another node, which has no such folder.
  const auto unopened =
      of.earlier != nullptr ? JsonLines::Unopened::is_told : JsonLines::Unopened::is_an_error;
  JsonLines* metrics = nullptr;
  if (!options.metrics.empty()) metrics = &callbacks.add<JsonLines>(options.metrics, of.print, unopened);
  if (options.adasum_diagnostics == 0) return;
  const auto diagnostics_of_step = [&learner = model.learner] {
    return learner.steps().is_together() ? std::optional(learner.steps().diagnostics()) : std::nullopt;
  };
  callbacks.add<AdasumMonitor>(of.print, names_of(model.model.parameters), diagnostics_of_step,
                               options.adasum_diagnostics, metrics);
}

RunCallbacks::RunCallbacks(const RunSetting& of, const RunData& data, RunModel& model) {
  add_monitors(*this, of, model);
  if (data.test) {
    evaluator = &add<Evaluator>(
        of.print, Evaluated{of.communicator, model.model, model.weights, *data.test, model.split.get()},
        evaluation_of(model.whole, of.options, of.reduction), of.options.evaluate_steps,
        [&learner = model.learner] { return learner.steps().is_together(); });
  }
  for (Dataset* part : {data.train.get(), data.test.get()}) {
    if (auto* tolerant = dynamic_cast<SkipCorruptDataset*>(part)) add<SkippedSamples>(of.print, *tolerant);
  }
}

/// The training after its set-up: where it begins, its checkpoints, and what is kept of it when ranks end.
class RankTraining {
 public:
  /// All must outlive it. Collective.
  RankTraining(const RunSetting& of, const RunData& data, RunModel& model, RunCallbacks& callbacks);
  RankTraining(const RankTraining&) = delete;
  RankTraining& operator=(const RankTraining&) = delete;

  /// Trains from where it begins to the end, or until a rank is asked to stop. Collective.
  RunOutcome run();

 private:
  void add_checkpoints();
  void watch_steps();
  void train_to_end();
  void keep();

  const RunSetting& of_;
  const RunData& data_;
  RunModel& model_;
  RunCallbacks& callbacks_;
  TrainingState state_;
  std::unique_ptr<Saver> saver_;          // null: no checkpoints
  Checkpointer* checkpointer_ = nullptr;  // one of the callbacks
  Position start_;
  std::optional<Continuation::Watch> watch_;
};

RankTraining::RankTraining(const RunSetting& of, const RunData& data, RunModel& model,
                           RunCallbacks& callbacks)
    : of_(of),
      data_(data),
      model_(model),
      callbacks_(callbacks),
      state_(of.options, of.reduction, *data.train, model.weights, model.learner, of.communicator,
             model.split.get()) {
  if (!of.options.checkpoint_dir.empty()) add_checkpoints();
  if (of.continuation != nullptr) watch_steps();
}

void RankTraining::add_checkpoints() {
  saver_ = std::make_unique<Saver>(of_.options, of_.reduction, model_.whole, *data_.train, state_,
                                   model_.learner, of_.communicator, model_.split.get());
  CheckpointTimes times{of_.options.checkpoint_steps, of_.options.checkpoint_minutes};
  if (of_.earlier != nullptr) times.since = of_.earlier->saved_at;
  catch_stop_signal();
  const auto save = [this](const Progress& at) {
    saver_->save(at);
    if (of_.communicator.rank() == 0) of_.print(checkpoint_line(at.epoch, at.step));
  };
  checkpointer_ = &callbacks_.add<Checkpointer>(
      of_.communicator, times, [this] { return model_.learner.steps().is_together(); }, save, stop_requested);
  if (callbacks_.evaluator != nullptr) callbacks_.evaluator->stop_by(*checkpointer_);
  if (of_.earlier == nullptr) start_ = resume(of_.options, *saver_, of_.print);
}

void RankTraining::watch_steps() {
  if (of_.earlier != nullptr) start_ = continue_with(*of_.earlier, state_, saver_.get(), of_.print);
  watch_.emplace(*of_.continuation, state_, model_.weights, of_.communicator, start_);
  model_.learner.ask_before_steps([this] { watch_->vote(); });
}

/// Keeps the state after the last step, if further ranks may continue from it.
void RankTraining::keep() {
  if (!watch_) return;
  watch_->keep(saver_ ? saver_->run() : "", data_.setup,
               checkpointer_ != nullptr ? checkpointer_->saved_at() : Snapshot::Clock::time_point());
}

void RankTraining::train_to_end() {
  std::vector<Callback*> called;
  if (watch_) called.push_back(&*watch_);
  for (const auto& callback : callbacks_.all) called.push_back(callback.get());
  Evaluator* const evaluator = callbacks_.evaluator;
  // A rank may have ended while the checkpoint of these steps was written, or have been asked to stop.
  if (saver_ && (of_.earlier != nullptr || start_.all_steps > 0)) {
    checkpointer_->proceed({.epoch = start_.epoch, .step = start_.steps, .all_steps = start_.all_steps},
                           saver_->has(start_.all_steps));
  }
  // A checkpoint at the end of an epoch is written before the accuracy of the epoch is measured.
  if (evaluator != nullptr && start_.steps == 0 && start_.epoch > 1) evaluator->epoch_end({start_.epoch - 1});
  print_checksum(model_.weights, "start", of_.print);
  of_.print(starting_line());
  train({model_.model, model_.weights, model_.learner, *data_.train, of_.communicator, called, start_,
         model_.split.get()},
        of_.options);
  if (checkpointer_ != nullptr) checkpointer_->finish();
  keep();  // A rank may end while the accuracy is measured, too.
  print_checksum(model_.weights, "end", of_.print);
  if (evaluator != nullptr) of_.print(accuracy_line(evaluator->accuracy()));
}

RunOutcome RankTraining::run() {
  try {
    train_to_end();
  } catch (const Stopped& stopped) {
    of_.print(stopped_line(stopped.at.epoch, stopped.at.step));
    return RunOutcome::stopped;
  } catch (const adasum::Error&) {
    keep();
    throw;
  }
  return RunOutcome::done;
}

}  // namespace

RunOutcome run(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator,
               const Print& print, std::optional<c10::Device> device, Continuation* continuation) {
  const bool continues = continuation != nullptr && continuation->begins_from();
  const RunSetting of{options,
                      reduction,
                      communicator,
                      print,
                      device,
                      continuation,
                      continues ? &*continuation->begins_from() : nullptr};
  const RunData data(of);
  RunModel model(of, data);
  RunCallbacks callbacks(of, data, model);
  print_setting(options, reduction, communicator, print);
  print_notes({data.train.get(), data.test.get()}, communicator, print);
  return RankTraining(of, data, model, callbacks).run();
}

}  // namespace adarun::trainer
