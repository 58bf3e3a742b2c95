// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/dataset.h"
#include "trainer/options/groups.h"

namespace adarun::trainer::options {

void add_data(CLI::App& app, TrainerOptions& options) {
  app.add_option("--dataset", options.dataset, "What is learned from; digits needs no file")
      ->check(CLI::IsMember(dataset_names()))
      ->capture_default_str();
  app.add_option("--data-path", options.data_path, "Folder of the dataset")->envname("DATA_PATH");
  app.add_option("--batch-size", options.batch_size, "Images per step of each rank")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "Threads that read ahead (default: 2 for imagefolder, else 0: none)")
      ->check(CLI::Range(0, 256));
  app.add_option("--hold-out", options.hold_out,
                 "Learn from all but N training samples, and measure on these instead of the test part")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--skip-corrupt", options.skip_corrupt, "Up to N samples may be corrupt and are left out")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
}

}  // namespace adarun::trainer::options
