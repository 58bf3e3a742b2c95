// SPDX-License-Identifier: Apache-2.0
// Makes the training batches of an image folder and prints, as JSON, how many images a second, and the mean
// and deviation of their values.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "trainer/data/datasets/dataset.h"
#include "trainer/data/loader.h"

namespace trainer = adarun::trainer;

int main(int argc, char** argv) {
  CLI::App app("Makes batches of an image folder.");
  std::string folder;
  int side = 224;
  std::size_t batch_size = 32;
  int workers = 0;
  int epochs = 2;
  app.add_option("folder", folder)->required();
  app.add_option("--side", side);
  app.add_option("--batch-size", batch_size);
  app.add_option("--workers", workers);
  app.add_option("--epochs", epochs, "the first is not timed");
  CLI11_PARSE(app, argc, argv);

  const auto dataset = trainer::open_dataset("imagefolder", folder, trainer::DatasetPart::train, 1);
  trainer::Loader loader(*dataset, {0, 1}, {batch_size, side, 1, workers});
  double sum = 0;
  double squares = 0;
  double count = 0;
  std::size_t images = 0;
  double seconds = 0;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const auto begin = std::chrono::steady_clock::now();
    loader.start(epoch);
    for (int step = 0; step < loader.steps(); ++step) {
      const trainer::Batch& batch = loader.next();
      if (epoch > 1) {
        images += batch.size();
        continue;
      }
      for (const float value : batch.images) {
        sum += double{value};
        squares += double{value} * double{value};
      }
      count += static_cast<double>(batch.images.size());
    }
    if (epoch > 1) seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const double mean = sum / count;
  std::printf("{\"images_s\": %.1f, \"mean\": %.4f, \"deviation\": %.4f}\n",
              static_cast<double>(images) / seconds, mean, std::sqrt(squares / count - mean * mean));
}
