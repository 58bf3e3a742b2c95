// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "trainer/base/error.h"
#include "trainer/options/groups.h"

namespace adarun::trainer::options {
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
               "Go on with the other ranks when some end (adarun train --min-ranks N)");
  add_number(app, "--bucket-mb", options.bucket_mb, 0, 4096,
             "Combine gradients in buckets of N MB while the backward pass goes on; 0: after it");
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

}  // namespace adarun::trainer::options
