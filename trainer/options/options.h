// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "adasum/steps/loss_scale.h"
#include "trainer/base/precision.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/reducers/reducer.h"
#include "trainer/schedules/schedule.h"

namespace adarun::trainer {

/// Which worlds AdaSum is allowed in: the reference's (a power of two, at least 16), or any that works.
enum class AdasumWorld { reference, any };

/// Whether ranks learn together, or each for itself.
enum class ParallelMode { data_parallel, stand_alone };

/// Where models are computed; automatic: on CUDA where libtorch has it, else on the processor.
enum class DeviceChoice { cpu, cuda, automatic };

/// What a user chose. The defaults are the program's.
struct TrainerOptions {
  std::string model = "lenet5";
  std::string dataset = "digits";
  std::string data_path;          ///< Folder of the dataset, where it needs one.
  std::optional<int> image_size;  ///< Rows and columns; unset: what the model was made for.
  std::optional<int> classes;     ///< That the model tells apart; unset: what the data set has.
  Precision precision = Precision::float32;
  DeviceChoice device = DeviceChoice::cpu;
  int epochs = 2;
  int batch_size = 32;  ///< Of each rank.
  /// Threads that make batches ahead; unset: 2 where samples are files, else none.
  std::optional<int> workers;
  int skip_corrupt = 0;  ///< So many samples may be corrupt.
  int max_steps = 0;     ///< Ends after so many steps in all; 0: no limit.
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  adasum::LossScaleOptions loss_scale;
  double label_smoothing = 0;
  int micro_batches = 1;  ///< Parts in which a batch goes through the model.
  int local_steps = 1;    ///< Steps of each rank from one combination to the next.
  std::uint64_t seed = 1;
  std::optional<Reduce> reduce;  ///< Unset: adasum where there are several ranks, else none.
  AdasumOn adasum_on = AdasumOn::gradient;
  std::optional<int> device_number;  ///< Ranks in a group; 1 is flat; unset: 8 where that leaves groups.
  double bucket_mb = 0;              ///< Of buckets that are combined beside the backward pass; 0: none.
  AdasumWorld adasum_world = AdasumWorld::reference;
  ParallelMode parallel_mode = ParallelMode::data_parallel;
  bool shard_optimizer = false;  ///< Each rank keeps the optimizer's memory of its own tensors only.
  int pipeline_stages = 1;
  bool evaluate = false;
  int evaluate_steps = 0;         ///< Also after every so many steps of an epoch; 0: at its end only.
  int hold_out = 0;               ///< Training samples to measure on, instead of the test part.
  int adasum_diagnostics = 0;     ///< Every so many steps; 0: none.
  int log_every = 10;             ///< Steps from one loss line to the next.
  bool sink = false;              ///< One loss line an epoch.
  std::string metrics;            ///< File for JSON lines; empty: none.
  std::string checkpoint_dir;     ///< Empty: no checkpoints.
  int checkpoint_steps = 0;       ///< One every so many steps; 0: not by their number.
  double checkpoint_minutes = 0;  ///< One every so many minutes; 0: not by time.
  bool resume = false;            ///< Go on from the latest checkpoint, where there is one, whosever it is.
  bool restarted = false;         ///< By the launcher, whose job this is: go on where it is the job's own.
  std::string job_id;  ///< The launcher's, the same whenever it starts the job; empty: no launcher's.
};

}  // namespace adarun::trainer
