// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/demo/demo_rank.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

#include "base/clean_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"

namespace adarun::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds step_time{90};

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  const std::optional<int> number = parse_whole<int>(text == nullptr ? "" : text);
  if (number && *number >= 0) return *number;
  const std::string found = text == nullptr ? "not set" : "\"" + base::clean_line(text) + "\": no number";
  throw ExitError(exit_usage, std::string("demo-rank: ") + variable + ": " + found +
                                  "; adarun demo and adarun launch set it for each rank");
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

void add_demo_rank_options(CLI::App& command, DemoRankOptions& options) {
  constexpr int most = 1000;
  add_number(command, "--epochs", options.epochs, {1, most}, "Epochs (default: 2)");
  add_number(command, "--steps", options.steps, {1, most}, "Steps of an epoch (default: 32)");
  add_number(command, "--fail-rank", options.fail_rank, {0, 1'000'000}, "The rank that fails in the middle");
}

std::vector<float> made_up_losses(int rank, int steps) {
  constexpr double first = 2.3;
  constexpr double last = 0.06;
  constexpr double fall = 5;  // exp(-fall) of the way is left at the end.
  constexpr double noise = 0.12;
  std::mt19937 random(static_cast<unsigned>(rank));
  std::normal_distribution<double> normal;
  std::vector<float> losses(static_cast<std::size_t>(steps));
  for (int step = 0; step < steps; ++step) {
    const double way = steps == 1 ? 1 : static_cast<double>(step) / (steps - 1);
    const double smooth = last + (first - last) * std::exp(-fall * way);
    losses[static_cast<std::size_t>(step)] = static_cast<float>(smooth * std::exp(noise * normal(random)));
  }
  return losses;
}

int run_demo_rank(const DemoRankOptions& options) {
  const int rank = number_in("RANK_ID");
  const int size = number_in("RANK_SIZE");
  const int device = number_in("DEVICE_ID");
  std::printf("rank %d of %d, device %d on %s (as RANK_ID, RANK_SIZE and DEVICE_ID say)\n", rank, size,
              device, host_name().c_str());
  std::printf("adarun's own program: it trains nothing, these losses are of a made-up curve (seed %d)\n",
              rank);
  const int steps = options.epochs * options.steps;
  const std::vector<float> losses = made_up_losses(rank, steps);
  const Clock::time_point start = Clock::now();
  Clock::time_point epoch_start = start;
  for (int step = 0; step < steps; ++step) {
    std::fflush(stdout);
    std::this_thread::sleep_until(start + (step + 1) * step_time);
    if (rank == options.fail_rank && step == steps / 2) {
      std::fprintf(stderr, "RuntimeError: device %d is lost (made up: adarun demo --fail)\n", device);
      return demo_failure_status;
    }
    const int of_epoch = step % options.steps + 1;
    const double loss = losses[static_cast<std::size_t>(step)];
    std::printf("epoch: %d step: %d, loss is %.6f\n", step / options.steps + 1, of_epoch, loss);
    if (of_epoch < options.steps) continue;
    const std::chrono::duration<double, std::milli> took = Clock::now() - epoch_start;
    epoch_start = Clock::now();
    std::printf("Train epoch time: %.3f ms, per step time: %.3f ms\n", took.count(),
                took.count() / options.steps);
  }
  return exit_done;
}

}  // namespace adarun::cli
