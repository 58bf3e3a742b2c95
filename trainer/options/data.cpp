// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/dataset.h"
#include "trainer/options/groups.h"

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

}  // namespace adarun::trainer::options
