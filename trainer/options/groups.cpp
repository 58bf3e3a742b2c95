// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/groups.h"

#include <cstdint>
#include <limits>

#include "trainer/base/error.h"
#include "trainer/data/datasets/dataset.h"
#include "trainer/models/models.h"

namespace adarun::trainer::options {

void add_data(CLI::App& app, TrainerOptions& options) {
  app.add_option("--dataset", options.dataset, "What is learned from; digits needs no file")
      ->check(CLI::IsMember(dataset_names()))
      ->capture_default_str();
  app.add_option("--data-path", options.data_path, "Folder of the dataset")->envname("DATA_PATH");
  add_whole_number(app, "--batch-size", options.batch_size, {1, 1 << 20}, "Images per step of each rank")
      ->capture_default_str();
  add_whole_number(app, "--workers", options.workers, {0, 256},
                   "Threads that read ahead (default: 2 for imagefolder, else 0: none)");
  add_whole_number(app, "--hold-out", options.hold_out, {0, 1 << 30},
                   "Learn from all but N training samples, and measure on these instead of the test part")
      ->capture_default_str();
  add_whole_number(app, "--skip-corrupt", options.skip_corrupt, {0, 1 << 30},
                   "Up to N samples may be corrupt and are left out")
      ->capture_default_str();
}

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
  app.add_option("--optimizer", optimizer.name, "What steps are made of gradients by")
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

namespace {

/// A whole number of at least 1, or `flat`.
int group_size(const std::string& text) {
  if (text == "flat") return 1;
  const auto size = WholeNumbers{1, std::numeric_limits<int>::max()}.parse(text);
  if (!size) throw Error("--device-number " + text + ": wanted a number from 1 on, or flat", Exit::usage);
  return static_cast<int>(*size);
}

}  // namespace

void add_reduce(CLI::App& app, TrainerOptions& options) {
  add_choice<Reduce>(
      app, "--reduce", options.reduce,
      {{"adasum", Reduce::adasum}, {"mean", Reduce::mean}, {"sum", Reduce::sum}, {"none", Reduce::none}},
      "How gradients of ranks become one (default: adasum; none for one rank)");
  add_choice<AdasumOn>(app, "--adasum-on", options.adasum_on,
                       {{"gradient", AdasumOn::gradient}, {"delta", AdasumOn::delta}},
                       "Combine gradients (default), or how far each rank's (or group's) own step went");
  app.add_option_function<std::string>(
      "--device-number", [&options](const std::string& text) { options.device_number = group_size(text); },
      "N|flat: mean in groups of N ranks, AdaSum between groups (default: 8 where that leaves 2 groups)");
  add_choice<adasum::GroupGain>(app, "--group-gain", options.group_gain,
                                {{"none", adasum::GroupGain::none}, {"spread", adasum::GroupGain::spread}},
                                "What the mean of a group is multiplied by: nothing (default), or the more "
                                "the further its ranks differ");
  add_choice<AdasumPer>(app, "--adasum-per", options.adasum_per,
                        {{"tensor", AdasumPer::tensor}, {"row", AdasumPer::row}},
                        "What AdaSum takes as one vector: a tensor (default), or each row of a weight");
  add_choice<AdasumWorld>(app, "--adasum-world", options.adasum_world,
                          {{"reference", AdasumWorld::reference}, {"any", AdasumWorld::any}},
                          "reference: a power of two and at least 16 ranks (default); any: for experiments");
  add_choice<CommunicatorKind>(
      app, "--communicator", options.communicator,
      {{"auto", CommunicatorKind::automatic},
       {"mpi", CommunicatorKind::mpi},
       {"socket", CommunicatorKind::socket}},
      "How ranks exchange messages: by MPI (default), or by TCP, where each wait has a deadline");
  app.add_flag("--elastic", options.elastic,
               "Continue with the other ranks when some end (adarun train --min-ranks N)");
  add_number(app, "--bucket-mb", options.bucket_mb, 0, 4096,
             "Combine gradients in buckets of N MB while the backward pass runs; 0: after it");
  add_whole_number(app, "--adasum-diagnostics", options.adasum_diagnostics, {0, 1 << 30},
                   "Tell every N steps how the ranks' vectors stood to one another; 0: never")
      ->capture_default_str();
  add_choice<ParallelMode>(app, "--parallel-mode", options.parallel_mode,
                           {{"data_parallel", ParallelMode::data_parallel},
                            {"hybrid_parallel", ParallelMode::hybrid_parallel},
                            {"auto_parallel", ParallelMode::auto_parallel},
                            {"stand_alone", ParallelMode::stand_alone}},
                           "Each rank has the model (default); layers are split by --plan, or by a plan made "
                           "here; or each learns alone");
  app.add_option("--costs", options.link_costs,
                 "Measured links, for auto_parallel (adarun check --links -o FILE; default: typical ones)")
      ->type_name("FILE");
  app.add_option("--plan", options.plan,
                 "Split layers over the ranks as this file says (adarun plan -o FILE)")
      ->type_name("FILE");
  app.add_flag("--shard-optimizer", options.shard_optimizer,
               "Each rank keeps and steps the optimizer of its own tensors only; with --reduce mean");
  add_whole_number(app, "--pipeline-stages", options.pipeline_stages, {1, 1 << 20},
                   "1: each rank has the whole model")
      ->capture_default_str();
}

void add_checkpoint(CLI::App& app, TrainerOptions& options) {
  app.add_option("--checkpoint-dir", options.checkpoint_dir,
                 "Folder of checkpoints; with it a job writes one at its end, also when SIGTERM ends it")
      ->type_name("DIR");
  add_whole_number(app, "--checkpoint-every", options.checkpoint_steps, {0, 1 << 30},
                   "One every N steps; 0: not by their number")
      ->capture_default_str();
  add_number(app, "--checkpoint-minutes", options.checkpoint_minutes, 0, 1e6,
             "One every so many minutes; 0: not by time");
  add_whole_number(app, "--checkpoint-keep", options.checkpoint_keep, {2, 1 << 20}, "The newest N are kept")
      ->capture_default_str();
  app.add_flag(
      "--resume", options.resume,
      "Continue from the latest checkpoint, where there is one (a restarted job continues from its own)");
}

void add_job(CLI::App& app, TrainerOptions& options) {
  app.add_option("--model", options.model, "What is trained")
      ->check(CLI::IsMember(model_names()))
      ->capture_default_str();
  add_whole_number(app, "--image-size", options.image_size, {1, 4096},
                   "Rows and columns of images (default: the model's)");
  add_whole_number(app, "--num-classes", options.classes, {2, 1 << 20},
                   "That the model tells apart (default: the data set's)");
  add_choice<Precision>(app, "--precision", options.precision,
                        {{"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}},
                        "What layers are computed in while it learns; weights and gradients stay float32")
      ->default_str("float32");
  add_choice<DeviceChoice>(
      app, "--device", options.device,
      {{"cpu", DeviceChoice::cpu}, {"cuda", DeviceChoice::cuda}, {"auto", DeviceChoice::automatic}},
      "Where the model is computed; auto: on CUDA where libtorch supports it, else on the processor")
      ->default_str("cpu");
  add_whole_number(app, "--epochs", options.epochs, {1, 1000000}, "Passes over the training part")
      ->capture_default_str();
  add_whole_number(app, "--max-steps", options.max_steps, {0, 1 << 30},
                   "End after N steps in all; 0: no limit")
      ->capture_default_str();
  add_whole_number(app, "--seed", options.seed, {0, std::numeric_limits<std::uint64_t>::max()},
                   "Of weights, shuffling, augmentation and digits")
      ->capture_default_str();
  app.add_flag("--eval", options.evaluate, "Measure accuracy on the test part after each epoch");
  add_whole_number(app, "--eval-every", options.evaluate_steps, {0, 1 << 30},
                   "With --eval: measure it after every N steps of an epoch too; 0: at its end only")
      ->capture_default_str();
  app.add_flag("--sink", options.sink, "One loss line an epoch, of its last step");
  app.add_option("--metrics", options.metrics, "Rank 0 adds what happens to this file, a JSON object a line")
      ->type_name("FILE");
  add_whole_number(app, "--log-every", options.log_every, {1, 1 << 30},
                   "Steps from one loss line to the next")
      ->capture_default_str();
}

}  // namespace adarun::trainer::options
