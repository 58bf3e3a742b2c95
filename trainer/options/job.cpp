// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>

#include "trainer/models/models.h"
#include "trainer/options/groups.h"

namespace adarun::trainer::options {

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
      "Where the model is computed; auto: on CUDA where libtorch has it, else on the processor")
      ->default_str("cpu");
  add_whole_number(app, "--epochs", options.epochs, {1, 1000000})->capture_default_str();
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
