// SPDX-License-Identifier: Apache-2.0
#include "trainer/options/groups.h"

namespace adarun::trainer::options {

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
  app.add_flag("--resume", options.resume,
               "Go on from the latest checkpoint, where there is one (a restarted job goes on from its own)");
}

}  // namespace adarun::trainer::options
