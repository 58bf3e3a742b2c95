// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainer/combiner.h"
#include "trainer/loss_scale.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/schedules/schedule.h"

namespace adarun::trainer {

/// Which worlds AdaSum is allowed in: the reference's (a power of two, at least 16), or any that works.
enum class AdasumWorld { reference, any };

/// What a user chose. The defaults are the program's.
struct Options {
  std::string model = "lenet5";
  std::string dataset = "digits";
  std::string data_path;          ///< Folder of the dataset, where it needs one.
  std::optional<int> image_size;  ///< Rows and columns; unset: what the model was made for.
  std::optional<int> classes;     ///< That the model tells apart; unset: what the data set has.
  int epochs = 2;
  int batch_size = 32;  ///< Of each rank.
  int max_steps = 0;    ///< Ends after so many steps in all; 0: no limit.
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  LossScaleOptions loss_scale;
  double label_smoothing = 0;
  int micro_batches = 1;  ///< Parts in which a batch goes through the model.
  int local_steps = 1;    ///< Steps of each rank from one combination to the next.
  std::uint64_t seed = 1;
  std::optional<Reduce> reduce;  ///< Unset: adasum where there are several ranks, else none.
  AdasumOn adasum_on = AdasumOn::gradient;
  std::optional<int> device_number;  ///< Ranks in a group; 1 is flat; unset: 8 where that leaves groups.
  AdasumWorld adasum_world = AdasumWorld::reference;
  bool evaluate = false;
  int log_every = 10;  ///< Steps from one loss line to the next.
};

/// The options in `argv`, or nothing where the user asked for help, which is then on stdout. DATA_PATH of
/// the environment stands in for --data-path. Throws Error (usage) on what is no option or no value of it.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace adarun::trainer
