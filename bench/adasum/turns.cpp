// SPDX-License-Identifier: Apache-2.0
#include "bench/adasum/turns.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace adarun::bench {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

void fill(std::span<float> data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(rank) * 101) % 1000) / 1000 - 0.5F;
}

void wait_for_all(adasum::Communicator& world) {
  double nothing = 0;
  world.sum(std::span(&nothing, 1));
}

double longest(double mine, adasum::Communicator& world) {
  const std::vector<double> all = adasum::gather(world, mine);
  return *std::max_element(all.begin(), all.end());
}

double time_ms(const Contestant& contestant, int calls, adasum::Communicator& world) {
  wait_for_all(world);
  const auto start = std::chrono::steady_clock::now();
  for (int call = 0; call < calls; ++call) contestant.run();
  const double mine = Milliseconds(std::chrono::steady_clock::now() - start).count() / calls;
  return longest(mine, world);
}

}  // namespace

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void take_turns(std::vector<Contestant>& contestants, const Turns& turns, adasum::Communicator& world) {
  for (int turn = -1; turn < turns.repeats; ++turn) {
    for (Contestant& contestant : contestants) {
      fill(contestant.data, world.rank());
      const double time = time_ms(contestant, turns.calls, world);
      if (turn >= 0) contestant.times_ms.push_back(time);
    }
  }
}

void print_table(const std::string& title, const std::vector<Contestant>& contestants) {
  const double first = median(contestants.front().times_ms);
  std::printf("\n%s\n\n| %-32s | median ms |    min ms | / sum |\n| --- | --- | --- | --- |\n", title.c_str(),
              "");
  for (const Contestant& contestant : contestants) {
    const double time = median(contestant.times_ms);
    std::printf("| %-32s | %9.3f | %9.3f | %5.2f |\n", contestant.name.c_str(), time,
                *std::min_element(contestant.times_ms.begin(), contestant.times_ms.end()), time / first);
  }
  std::fflush(stdout);
}

}  // namespace adarun::bench
