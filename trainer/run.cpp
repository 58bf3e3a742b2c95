// SPDX-License-Identifier: Apache-2.0
#include "trainer/run.h"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/types/error.h"
#include "base/clean_text.h"
#include "trainer/base/error.h"
#include "trainer/base/log_lines.h"
#include "trainer/boost_lines.h"
#include "trainer/boost_of_model.h"
#include "trainer/callbacks/adasum_monitor.h"
#include "trainer/callbacks/checkpointer.h"
#include "trainer/callbacks/evaluator.h"
#include "trainer/callbacks/json_lines.h"
#include "trainer/callbacks/loss_monitor.h"
#include "trainer/callbacks/skipped_samples.h"
#include "trainer/callbacks/time_monitor.h"
#include "trainer/checkpoint/saver.h"
#include "trainer/data/datasets/subset.h"
#include "trainer/make_learner.h"
#include "trainer/memory_limit.h"
#include "trainer/models/models.h"
#include "trainer/parallel/split_run.h"
#include "trainer/plan_of_run.h"
#include "trainer/same_data.h"
#include "trainer/same_options.h"
#include "trainer/setting_lines.h"
#include "trainer/train.h"

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
  return std::make_unique<Tolerant>(std::move(dataset), options.skip_corrupt);
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

/// Prints the notes of the data sets, once for all ranks, a line each whatever is in names of files.
void print_notes(std::initializer_list<const Dataset*> parts, const adasum::Communicator& communicator,
                 const Print& print) {
  if (communicator.rank() != 0) return;
  std::string last;  // Both parts may be from one folder.
  for (const Dataset* part : parts) {
    const std::string note = part != nullptr ? base::clean_line(part->note()) : "";
    if (!note.empty() && note != last) print(note);
    last = note;
  }
}

void print_checksum(const Weights& weights, const char* when, const Print& print) {
  char text[80];
  std::snprintf(text, sizeof text, "weights: checksum 0x%016llx at %s",
                static_cast<unsigned long long>(checksum(weights.values())), when);
  print(text);
}

/// The callbacks of the training, in the order in which they are called.
class CallbackList {
 public:
  template <typename Kind, typename... Arguments>
  Kind& add(Arguments&&... arguments) {
    auto made = std::make_unique<Kind>(std::forward<Arguments>(arguments)...);
    Kind& kind = *made;
    members_.push_back(std::move(made));
    return kind;
  }

  std::vector<Callback*> members() const {
    std::vector<Callback*> all;
    for (const auto& member : members_) all.push_back(member.get());
    return all;
  }

 private:
  std::vector<std::unique_ptr<Callback>> members_;
};

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

/// The model's layers as the plan of this training splits them; null without one.
std::unique_ptr<SplitRun> split_run(const TrainerOptions& options, const Model& model,
                                    const std::optional<MemoryLimit>& limit,
                                    adasum::Communicator& communicator, const Print& print) {
  std::vector<planner::Strategy> strategies = plan_of_run(options, model, limit, communicator, print);
  if (strategies.empty()) return nullptr;
  return std::make_unique<SplitRun>(model, std::move(strategies), communicator);
}

ReduceContext context_for(SplitRun* split, adasum::Communicator& communicator, const Reduction& reduction,
                          const TrainerOptions& options) {
  if (split != nullptr) return {*split, reduction};
  return {communicator, reduction, options.adasum_diagnostics > 0 ? Diagnostics::yes : Diagnostics::no};
}

std::vector<std::string> names_of(const std::vector<TensorShape>& tensors) {
  std::vector<std::string> names;
  for (const TensorShape& tensor : tensors) names.push_back(tensor.name);
  return names;
}

void add_monitors(CallbackList& callbacks, const TrainerOptions& options, const Model& model,
                  const AdasumMonitor::Source& source, adasum::Communicator& communicator,
                  JsonLines::Unopened unopened, const Print& print) {
  callbacks.add<LossMonitor>(print, options.sink ? 0 : options.log_every);
  callbacks.add<TimeMonitor>(print, communicator, options.batch_size);
  if (communicator.rank() != 0) return;
  JsonLines* metrics = nullptr;
  if (!options.metrics.empty()) metrics = &callbacks.add<JsonLines>(options.metrics, print, unopened);
  if (options.adasum_diagnostics == 0) return;
  callbacks.add<AdasumMonitor>(print, names_of(model.parameters), source, options.adasum_diagnostics,
                               metrics);
}

void save(Saver& saver, const Progress& at, const adasum::Communicator& communicator, const Print& print) {
  saver.save(at);
  if (communicator.rank() == 0) print(checkpoint_line(at.epoch, at.step));
}

Checkpointer& add_checkpointer(CallbackList& callbacks, const CheckpointTimes& times,
                               const Checkpointer::IsTogether& is_together, Saver& saver,
                               adasum::Communicator& communicator, const Print& print) {
  catch_stop_signal();
  return callbacks.add<Checkpointer>(
      communicator, times, is_together, [&](const Progress& at) { save(saver, at, communicator, print); },
      stop_requested);
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

/// Goes on with what the ranks have in memory.
Position go_on_with(const Snapshot& snapshot, TrainingState& state, Saver* saver, const Print& print) {
  const Position position = go_on(snapshot, state);
  if (saver != nullptr) saver->go_on(snapshot.run);
  print("goes on: epoch " + std::to_string(position.epoch) + ", " + std::to_string(position.steps) +
        " steps of it done");
  return position;
}

/// This rank's share, as it was before the first training of this process. After a change of members the
/// memory of the one before it is free, but still counts as this process's. Collective over `node`.
std::optional<MemoryLimit> memory_limit_at_start(adasum::Communicator& node) {
  static std::mutex mutex;  // Ranks may be threads.
  static std::optional<std::optional<MemoryLimit>> known;
  const auto is_known = [] { return std::lock_guard(mutex), known.has_value(); };
  const std::optional<MemoryLimit> share =
      share_on_node(is_known() ? std::vector<MemoryLimit>{} : memory_limits(), node);
  const std::lock_guard lock(mutex);
  if (!known) known = share;
  return *known;
}

}  // namespace

RunOutcome run(const TrainerOptions& options, const Reduction& reduction, adasum::Communicator& communicator,
               const Print& print, std::optional<c10::Device> device, Continuation* continuation) {
  NodeSharing sharing(communicator.split_by_node());
  const std::unique_ptr<Dataset> dataset = open(options, DatasetPart::train, sharing);
  const std::unique_ptr<Dataset> test =
      options.evaluate ? open(options, DatasetPart::test, sharing) : nullptr;
  const FoundData found = found_in(*dataset);
  const std::optional<FoundData> found_test = test ? std::optional(found_in(*test)) : std::nullopt;
  const std::string setup = options.same_on_all + line_of(found, DatasetPart::train) +
                            (found_test ? line_of(*found_test, DatasetPart::test) : "");
  const bool goes_on = continuation != nullptr && continuation->begins_from();
  if (goes_on) check_same_setup(setup, continuation->begins_from()->setup);
  // Ranks that learn by themselves may do so with other options.
  check_same_options(reduction.reduce == Reduce::none ? "" : options.same_on_all, communicator);
  check_same_data(found, DatasetPart::train, communicator);
  if (found_test) check_same_data(*found_test, DatasetPart::test, communicator);
  const Model whole = model_named(options.model, shape_for(options, *dataset), layer_options(options.boost));
  const std::optional<MemoryLimit> left = memory_limit_at_start(sharing.node());
  const std::optional<MemoryLimit> limit = device ? std::nullopt : left;
  const std::unique_ptr<SplitRun> split = split_run(options, whole, limit, communicator, print);
  const Model& model = split ? split->model() : whole;
  if (limit)
    check_memory(whole, options, communicator.rank(), communicator.size(),
                 split ? split->strategies() : std::vector<planner::Strategy>{}, *limit);

  const ReduceContext context = context_for(split.get(), communicator, reduction, options);
  Weights weights = first_weights(model, options, context, device);
  if (!split) communicator.broadcast(std::as_writable_bytes(weights.values()), 0);
  if (communicator.rank() == 0) {
    for (const std::string& line : boost_lines(model, options, reduction)) print(line);
  }
  Learner learner = make_learner(model, weights, context, options);

  CallbackList callbacks;
  const auto is_together = [&] { return learner.steps().is_together(); };
  const auto diagnostics_of_step = [&] {
    return is_together() ? std::optional(learner.steps().diagnostics()) : std::nullopt;
  };
  // The rank that writes it now may be on another node, which has no such folder.
  const auto unopened = goes_on ? JsonLines::Unopened::is_told : JsonLines::Unopened::is_an_error;
  add_monitors(callbacks, options, model, diagnostics_of_step, communicator, unopened, print);
  Evaluator* evaluator = nullptr;
  if (test) {
    evaluator = &callbacks.add<Evaluator>(print, Evaluated{communicator, model, weights, *test, split.get()},
                                          evaluation_of(whole, options, reduction), options.evaluate_steps,
                                          is_together);
  }
  for (Dataset* part : {dataset.get(), test.get()}) {
    if (auto* tolerant = dynamic_cast<Tolerant*>(part)) callbacks.add<SkippedSamples>(print, *tolerant);
  }
  print_setting(options, reduction, communicator, print);
  print_notes({dataset.get(), test.get()}, communicator, print);
  TrainingState state(options, reduction, *dataset, weights, learner, communicator, split.get());
  std::unique_ptr<Saver> saver;
  Checkpointer* checkpointer = nullptr;
  Position start;
  if (!options.checkpoint_dir.empty()) {
    saver = std::make_unique<Saver>(options, reduction, whole, *dataset, state, learner, communicator,
                                    split.get());
    CheckpointTimes times{options.checkpoint_steps, options.checkpoint_minutes};
    if (goes_on) times.since = continuation->begins_from()->saved_at;
    checkpointer = &add_checkpointer(callbacks, times, is_together, *saver, communicator, print);
    if (evaluator != nullptr) evaluator->stop_by(*checkpointer);
    if (!goes_on) start = resume(options, *saver, print);
  }
  std::optional<Continuation::Watch> watch;
  if (continuation != nullptr) {
    if (goes_on) start = go_on_with(*continuation->begins_from(), state, saver.get(), print);
    watch.emplace(*continuation, state, weights, communicator, start,
                  TrainingIdentity{saver ? saver->run() : "", setup});
    learner.ask_before_steps([&watch] { watch->vote(); });
  }
  const auto keep = [&] {
    if (watch)
      watch->keep(checkpointer != nullptr ? checkpointer->saved_at() : Snapshot::Clock::time_point());
  };
  std::vector<Callback*> called = callbacks.members();
  if (watch) called.insert(called.begin(), &*watch);
  try {
    // A rank may have ended while the checkpoint of these steps was written, or have been asked to stop.
    if (saver && (goes_on || start.all_steps > 0))
      checkpointer->go_on({.epoch = start.epoch, .step = start.steps, .all_steps = start.all_steps},
                          saver->has(start.all_steps));
    // A checkpoint at the end of an epoch is written before the accuracy of the epoch is measured.
    if (evaluator != nullptr && start.steps == 0 && start.epoch > 1) evaluator->epoch_end({start.epoch - 1});
    print_checksum(weights, "start", print);
    print(starting_line());
    train({model, weights, learner, *dataset, communicator, called, start, split.get()}, options);
    if (checkpointer != nullptr) checkpointer->finish();
    keep();  // A rank may end while the accuracy is measured, too.
    print_checksum(weights, "end", print);
    if (evaluator != nullptr) print(accuracy_line(evaluator->accuracy()));
  } catch (const Stopped& stopped) {
    print(stopped_line(stopped.at.epoch, stopped.at.step));
    return RunOutcome::stopped;
  } catch (const adasum::Error&) {
    keep();
    throw;
  }
  return RunOutcome::done;
}

}  // namespace adarun::trainer
