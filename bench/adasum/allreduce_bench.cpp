// SPDX-License-Identifier: Apache-2.0
// AdaSum beside MPI_Allreduce(SUM), in turns, on the gradients of a network: see bench/README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adasum/allreduce.h"
#include "adasum/peers/mpi_peers.h"
#include "bench/adasum/models.h"

namespace adarun::bench {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

void wait_for_all(adasum::Peers& peers) {
  double nothing = 0;
  peers.sum(std::span(&nothing, 1));
}

// From when all ranks are ready to when the last has its result.
double time_ms(adasum::Peers& peers, const std::function<void()>& collective) {
  wait_for_all(peers);
  const auto start = std::chrono::steady_clock::now();
  collective();
  wait_for_all(peers);
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void fill(std::vector<float>& data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(rank) * 101) % 1000) / 1000 - 0.5f;
  }
}

void measure(adasum::Peers& peers, const Model& model, int repeats, int group_size) {
  adasum::Engine engine(peers, {.group_size = group_size});
  std::vector<float> data(static_cast<std::size_t>(model.elements()));
  std::vector<double> sums;
  std::vector<double> adasums;
  for (int i = -1; i < repeats; ++i) {  // the first warms up
    fill(data, peers.rank());
    const double sum = time_ms(peers, [&] { peers.sum(data); });
    fill(data, peers.rank());
    const double ours = time_ms(peers, [&] { engine.allreduce<float>(data, model.counts); });
    if (i < 0) continue;
    sums.push_back(sum);
    adasums.push_back(ours);
  }
  if (peers.rank() != 0) return;
  std::printf("%-9s %8zu %11lld %6d %6d %12.3f %12.3f %6.2f\n", model.name.c_str(), model.counts.size(),
              static_cast<long long>(model.elements()), peers.size(), group_size, median(sums),
              median(adasums), median(adasums) / median(sums));
  std::fflush(stdout);
}

// A rank that fails alone would leave the others waiting.
int run(int repeats, int group_size) {
  const adasum::MpiSession session;
  try {
    const auto peers = session.world();
    if (peers->rank() == 0) {
      std::printf("%-9s %8s %11s %6s %6s %12s %12s %6s\n", "model", "tensors", "elements", "ranks", "group",
                  "sum ms", "adasum ms", "ratio");
    }
    measure(*peers, lenet5(), 20 * repeats, group_size);
    measure(*peers, resnet50(), repeats, group_size);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-adasum: %s\n", error.what());
    session.abort(3);
  }
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
  const int group_size = argc > 2 ? std::atoi(argv[2]) : 1;
  if (argc > 3 || repeats < 1 || group_size < 1) {
    std::fprintf(stderr, "usage: bench-adasum [REPEATS [GROUP_SIZE]]\n");
    return 2;
  }
  return adarun::bench::run(repeats, group_size);
}
