// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

namespace CLI {
class App;
}

namespace adarun::cli {

/// How long the run of the demo's own program is, and which rank fails in its middle.
struct DemoRankOptions {
  int epochs = 2;
  int steps = 32;  ///< Of an epoch; each takes 90 ms.
  std::optional<int> fail_rank;
};

/// The exit status of the rank that fails.
inline constexpr int demo_failure_status = 7;

/// Adds --epochs, --steps and --fail-rank. `options` must outlive the parse.
void add_demo_rank_options(CLI::App& command, DemoRankOptions& options);

/// The loss of a rank at each of so many steps: a made-up curve that falls from about 2.3 to about 0.08
/// however many steps there are, with noise whose seed is the rank. All are above 0.
std::vector<float> made_up_losses(int rank, int steps);

/// Runs as a rank of a job, as a training program would: reads its place from RANK_ID, RANK_SIZE and
/// DEVICE_ID, says it once, and prints the lines of a training log at the pace of one, but trains nothing. A
/// signal ends it as usual. Returns its exit status. Throws ExitError with exit_usage without these
/// variables.
int run_demo_rank(const DemoRankOptions& options);

}  // namespace adarun::cli
