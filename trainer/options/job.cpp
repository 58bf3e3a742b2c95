// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/models.h"
#include "trainer/options/groups.h"

namespace adarun::trainer::options {

void add_job(CLI::App& app, TrainerOptions& options) {
  app.add_option("--model", options.model, "What is trained")
      ->check(CLI::IsMember(model_names()))
      ->capture_default_str();
  app.add_option("--image-size", options.image_size, "Rows and columns of images (default: the model's)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--num-classes", options.classes, "That the model tells apart (default: the data set's)")
      ->check(CLI::Range(2, 1 << 20));
  add_choice<Precision>(app, "--precision", options.precision,
                        {{"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}},
                        "What layers are computed in while it learns; weights and gradients stay float32")
      ->default_str("float32");
  add_choice<DeviceChoice>(
      app, "--device", options.device,
      {{"cpu", DeviceChoice::cpu}, {"cuda", DeviceChoice::cuda}, {"auto", DeviceChoice::automatic}},
      "Where the model is computed; auto: on CUDA where libtorch has it, else on the processor")
      ->default_str("cpu");
  app.add_option("--epochs", options.epochs)->check(CLI::Range(1, 1000000))->capture_default_str();
  app.add_option("--max-steps", options.max_steps, "End after N steps in all; 0: no limit")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Of weights, shuffling, augmentation and digits")
      ->check(plain_number)
      ->capture_default_str();
  app.add_flag("--eval", options.evaluate, "Measure accuracy on the test part after each epoch");
  app.add_option("--eval-every", options.evaluate_steps,
                 "With --eval: measure it after every N steps of an epoch too; 0: at its end only")
      ->check(CLI::Range(0, 1 << 30))
      ->capture_default_str();
  app.add_flag("--sink", options.sink, "One loss line an epoch, of its last step");
  app.add_option("--metrics", options.metrics, "Rank 0 adds what happens to this file, a JSON object a line")
      ->type_name("FILE");
  app.add_option("--log-every", options.log_every, "Steps from one loss line to the next")
      ->check(CLI::Range(1, 1 << 30))
      ->capture_default_str();
}

}  // namespace adarun::trainer::options
