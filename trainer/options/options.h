// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adasum/steps/steps.h"
#include "adasum/types/options.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/schedules/schedule.h"

namespace adarun::trainer {

/// How the gradients of all ranks are combined.
enum class Reduce { adasum, mean, sum, none };

/// What AdaSum combines: gradients before the optimizer step, or the weight change of each rank's own step.
enum class AdasumOn { gradient, delta };

/// What AdaSum takes as one vector: a tensor, or each row of a weight of two or more dimensions (what makes
/// one output).
enum class AdasumPer { tensor, row };

/// How the ranks of a world reduce.
struct Reduction {
  Reduce reduce = Reduce::none;
  int group_size = 1;  ///< For AdaSum: ranks of a group are averaged first; 1: no groups.
  adasum::GroupGain group_gain = adasum::GroupGain::none;  ///< What their mean is multiplied by.
  AdasumPer per = AdasumPer::tensor;

  bool operator==(const Reduction&) const = default;
};

/// Worlds in which AdaSum is allowed: the reference's (a power of two, at least 16), or any that works.
enum class AdasumWorld { reference, any };

/// What ranks exchange messages by; automatic: MPI.
enum class CommunicatorKind { automatic, mpi, socket };

/// Whether ranks train together, or each on its own.
enum class ParallelMode {
  data_parallel,
  hybrid_parallel,  ///< Layers are split as the user's plan says.
  auto_parallel,    ///< As a plan says that the training makes for itself.
  stand_alone
};

/// The device that computes models; automatic: CUDA if libtorch supports it, else the CPU.
enum class DeviceChoice { cpu, cuda, automatic };

/// The type in which the layers of a model are computed. Weights, combined gradients and optimizers are
/// always float.
enum class Precision { float32, bfloat16 };

/// less_bn: a model with fewer batch normalizations (see LayerOptions).
struct LessBnOptions {
  bool normalize_scores = true;      ///< fn_flag: the last dense layer becomes a normalized one.
  bool centralize_gradients = true;  ///< gc_flag: see make_optimizer().

  bool operator==(const LessBnOptions&) const = default;
};

/// The order in which grad_freeze takes its groups: periodic (the reference's type 0) or drawn (type 1). See
/// FreezeSequence.
enum class FreezeOrder { periodic, drawn };

/// grad_freeze: some steps leave the first layers as they are (see freeze_groups()).
struct GradFreezeOptions {
  int groups = 10;                         ///< param_groups
  FreezeOrder order = FreezeOrder::drawn;  ///< freeze_type
  double full_share = 0.7;                 ///< freeze_p: the share of steps that freeze nothing; in [0, 1).
  int total_steps = 65536;                 ///< The sequence has at least 1.01 times as many entries.

  bool operator==(const GradFreezeOptions&) const = default;
};

/// dim_reduce: steps in a subspace of few dimensions (see make_dim_reduce()).
struct DimReduceOptions {
  double rho = 0.55;
  double gamma = 0.9;
  double alpha = 0.001;
  double sigma = 0.4;
  int components = 32;              ///< n_components
  std::string basis_file = {};      ///< pca_mat_path: an .npy file; empty: made from checkpoints.
  std::string checkpoint_dir = {};  ///< weight_load_dir
  double timeout_s = 1800;          ///< How long making the basis may take.

  bool operator==(const DimReduceOptions&) const = default;
};

/// What the reference's boost dictionary turns on, besides AdaSum and accumulation, which have options of
/// their own.
struct BoostOptions {
  std::optional<LessBnOptions> less_bn;
  std::optional<GradFreezeOptions> grad_freeze;
  std::optional<DimReduceOptions> dim_reduce;
  std::vector<std::string> notes;  ///< Lines for the user.
};

/// The user's options. The defaults are the program's.
struct TrainerOptions {
  std::string model = "lenet5";
  std::string dataset = "digits";
  std::string data_path;          ///< Folder of the data set, if it needs one.
  std::optional<int> image_size;  ///< Rows and columns; unset: the model's default.
  std::optional<int> classes;     ///< The model's number of classes; unset: that of the data set.
  Precision precision = Precision::float32;
  DeviceChoice device = DeviceChoice::cpu;
  int epochs = 2;
  int batch_size = 32;  ///< Per rank.
  /// Threads that make batches in advance; unset: 2 if samples are files, else none.
  std::optional<int> workers;
  int skip_corrupt = 0;  ///< This many samples may be corrupt.
  int max_steps = 0;     ///< Ends after this many steps in total; 0: no limit.
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  adasum::LossScaleOptions loss_scale;
  double label_smoothing = 0;
  int micro_batches = 1;  ///< Parts in which a batch is processed.
  int local_steps = 1;    ///< Steps of each rank between combinations.
  std::uint64_t seed = 1;
  std::optional<Reduce> reduce;  ///< Unset: adasum if there are several ranks, else none.
  AdasumOn adasum_on = AdasumOn::gradient;
  std::optional<int> device_number;  ///< Group size; 1: flat; unset: 8 if that makes several groups.
  adasum::GroupGain group_gain = adasum::GroupGain::none;
  AdasumPer adasum_per = AdasumPer::tensor;
  CommunicatorKind communicator = CommunicatorKind::automatic;
  bool elastic = false;  ///< The other ranks continue when some end.
  double bucket_mb = 0;  ///< Size of buckets that are combined during the backward pass; 0: no buckets.
  BoostOptions boost;
  AdasumWorld adasum_world = AdasumWorld::reference;
  ParallelMode parallel_mode = ParallelMode::data_parallel;
  std::string link_costs;        ///< File of measured links, for auto_parallel; empty: typical ones.
  std::string plan;              ///< File of a plan for split layers; empty: each rank has the whole model.
  bool shard_optimizer = false;  ///< Each rank keeps the optimizer state of its own tensors only.
  int pipeline_stages = 1;
  std::string same_on_all;  ///< The user's options, a line each, but for those of a node, such as folders.
  bool evaluate = false;
  int evaluate_steps = 0;         ///< Also after every so many steps of an epoch; 0: only at its end.
  int hold_out = 0;               ///< Training samples to evaluate on, instead of the test part.
  int adasum_diagnostics = 0;     ///< Interval in steps; 0: none.
  int log_every = 10;             ///< Steps between loss lines.
  bool sink = false;              ///< One loss line per epoch.
  std::string metrics;            ///< File for JSON lines; empty: none.
  std::string checkpoint_dir;     ///< Empty: no checkpoints.
  int checkpoint_steps = 0;       ///< Interval in steps; 0: not by steps.
  double checkpoint_minutes = 0;  ///< Interval in minutes; 0: not by time.
  int checkpoint_keep = 2;        ///< The newest so many are kept.
  bool resume = false;            ///< Resume from the latest checkpoint, if there is one, of any run.
  bool restarted = false;         ///< Restarted by the launcher: resume if the checkpoint is of this job.
  std::string job_id;             ///< The launcher's job, the same for all restarts; empty: no launcher.
};

}  // namespace adarun::trainer
