// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adarun::bench {

/// What is measured: something that all ranks do with `data`.
struct Contestant {
  std::string name;
  std::span<float> data;
  std::function<void()> run;
  std::vector<double> times_ms = {};
};

/// How often each contestant comes to its turn, and how many calls are timed as one.
struct Turns {
  int repeats = 5;
  int calls = 1;
};

/// The contestants take turns; the first turn warms up. A time is that of one call, the mean of `calls` one
/// after the other from when all ranks are ready, on the rank that took longest. Each turn begins with the
/// same numbers.
void take_turns(std::vector<Contestant>& contestants, const Turns& turns, adasum::Communicator& world);

/// Median and minimum of each, and its median over that of the first.
void print_table(const std::string& title, const std::vector<Contestant>& contestants);

double median(std::vector<double> values);

}  // namespace adarun::bench
