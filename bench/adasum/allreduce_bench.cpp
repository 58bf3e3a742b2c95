// SPDX-License-Identifier: Apache-2.0
// AdaSum beside MPI_Allreduce(SUM), in turns, on the gradients of a network: see bench/README.md.
#include "adasum/peers/mpi_comm.h"  // before whatever includes mpi.h

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "adasum/engine.h"
#include "adasum/layout.h"
#include "adasum/peers/mpi_peers.h"
#include "adasum/plan.h"
#include "bench/adasum/models.h"
#include "bench/adasum/sums.h"

namespace adarun::bench {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

/// What is measured: something that all ranks do with `data`.
struct Contestant {
  std::string name;
  std::span<float> data;
  std::function<void()> run;
  std::vector<double> times_ms = {};
};

// From when all ranks are ready to when the last has its result.
double time_ms(const Contestant& contestant) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = std::chrono::steady_clock::now();
  contestant.run();
  MPI_Barrier(MPI_COMM_WORLD);
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void fill(std::span<float> data, int rank) {
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<float>((i * 37 + static_cast<std::size_t>(rank) * 101) % 1000) / 1000 - 0.5F;
}

/// The engines and sums of one run; and for each model its contestants.
class Bench {
 public:
  explicit Bench(int group_size)
      : peers_(adasum::mpi_peers(MPI_COMM_WORLD)),
        home_(*peers_, options(adasum::Algorithm::automatic, group_size)),
        tree_(home_, options(adasum::Algorithm::tree, group_size)),
        gram_(home_, options(adasum::Algorithm::gram, group_size)),
        rabenseifner_(choice_.world_by(AllreduceChoice::rabenseifner)) {}

  int rank() const { return peers_->rank(); }
  int size() const { return peers_->size(); }

  void measure(const Model& model, int repeats) {
    const auto size = static_cast<std::size_t>(model.elements());
    std::vector<float> data(size);
    std::vector<float> copy(size);
    const auto memory = home_.allocate(size * sizeof(float));
    const std::span<float> shared(reinterpret_cast<float*>(memory.data()), size);
    auto contestants = sums(data, copy);
    for (auto& engine : {&tree_, &gram_}) add(contestants, engine == &tree_ ? "tree" : "gram", *engine, data, model);
    if (home_.shares_memory()) {
      add(contestants, "shared, ordinary memory", home_, data, model);
      add(contestants, "shared, in place", home_, shared, model);
    }
    take_turns(contestants, repeats);
    print(model, contestants);
    contestants.clear();
    home_.free(memory.data());
  }

 private:
  static adasum::Options options(adasum::Algorithm algorithm, int group_size) {
    return {.group_size = group_size, .algorithm = algorithm};
  }

  std::vector<Contestant> sums(std::span<float> data, std::span<float> copy) const {
    const auto sum_on = [data](MPI_Comm comm) {
      return [data, comm] {
        MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM, comm);
      };
    };
    std::vector<Contestant> contestants = {{"MPI_Allreduce", data, sum_on(MPI_COMM_WORLD)}};
    if (rabenseifner_ != MPI_COMM_NULL)
      contestants.push_back({"MPI_Allreduce, rabenseifner", data, sum_on(rabenseifner_)});
    contestants.push_back(
        {"one copy", data, [data, copy] { std::memcpy(copy.data(), data.data(), data.size_bytes()); }});
    return contestants;
  }

  static void add(std::vector<Contestant>& contestants, const std::string& name, adasum::Engine& engine,
                  std::span<float> data, const Model& model) {
    const auto plan = std::make_shared<adasum::Plan<float>>(engine, adasum::tensors_of(data, model.counts));
    contestants.push_back({"AdaSum, " + name, data, [plan] { plan->run(); }});
  }

  // The first turn warms up.
  void take_turns(std::vector<Contestant>& contestants, int repeats) const {
    for (int turn = -1; turn < repeats; ++turn) {
      for (Contestant& contestant : contestants) {
        fill(contestant.data, rank());
        const double time = time_ms(contestant);
        if (turn >= 0) contestant.times_ms.push_back(time);
      }
    }
  }

  void print(const Model& model, const std::vector<Contestant>& contestants) const {
    if (rank() != 0) return;
    const double sum = median(contestants.front().times_ms);
    std::printf("\n%s: %lld elements in %zu tensors, %d ranks\n\n", model.name.c_str(),
                static_cast<long long>(model.elements()), model.counts.size(), size());
    std::printf("| %-30s | median ms |    min ms | / sum |\n| --- | --- | --- | --- |\n", "");
    for (const Contestant& contestant : contestants) {
      const double time = median(contestant.times_ms);
      std::printf("| %-30s | %9.3f | %9.3f | %5.2f |\n", contestant.name.c_str(), time,
                  *std::min_element(contestant.times_ms.begin(), contestant.times_ms.end()), time / sum);
    }
    std::fflush(stdout);
  }

  std::unique_ptr<adasum::Peers> peers_;
  adasum::Engine home_;
  adasum::Engine tree_;
  adasum::Engine gram_;
  AllreduceChoice choice_;
  MPI_Comm rabenseifner_;
};

// A rank that fails alone would leave the others waiting.
int run(int repeats, int group_size, bool large) {
  AllreduceChoice::allow();
  const adasum::MpiSession session;
  try {
    Bench bench(group_size);
    bench.measure(vector_of(1'000), 20 * repeats);
    bench.measure(lenet5(), 20 * repeats);
    bench.measure(vector_of(1'000'000), 4 * repeats);
    bench.measure(resnet50(), repeats);
    if (large) bench.measure(vector_of(100'000'000), repeats);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-adasum: %s\n", error.what());
    session.abort(3);
  }
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const bool large = argc > 1 && std::strcmp(argv[argc - 1], "large") == 0;
  const int numbers = argc - 1 - (large ? 1 : 0);
  const int repeats = numbers > 0 ? std::atoi(argv[1]) : 5;
  const int group_size = numbers > 1 ? std::atoi(argv[2]) : 1;
  if (numbers > 2 || repeats < 1 || group_size < 1) {
    std::fprintf(stderr, "usage: bench-adasum [REPEATS [GROUP_SIZE]] [large]\n");
    return 2;
  }
  return adarun::bench::run(repeats, group_size, large);
}
