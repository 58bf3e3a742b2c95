// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adarun::bench {

/// One candidate of a measurement: an operation of all ranks on `data`.
struct Contestant {
  std::string name;
  std::span<float> data;
  std::function<void()> run;
  std::vector<double> times_ms = {};
};

/// The number of turns of each contestant, and the number of calls per measured time.
struct Turns {
  int repeats = 5;
  int calls = 1;
};

/// Runs the contestants in turns; the first turn is a warm-up. A time is the mean over `calls` consecutive
/// calls, from when all ranks are ready, on the slowest rank. Each turn begins with the same numbers.
void take_turns(std::vector<Contestant>& contestants, const Turns& turns, adasum::Communicator& world);

/// Prints median and minimum of each, and its median divided by that of the first.
void print_table(const std::string& title, const std::vector<Contestant>& contestants);

double median(std::vector<double> values);

}  // namespace adarun::bench
