// SPDX-License-Identifier: Apache-2.0
// The error of each algorithm against a serial tree in double, by element type: the table of docs/adasum.md.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "adasum/types/number.h"
#include "tests/adasum/slow_tree.h"

namespace adarun::bench {
namespace {

using adasum::Algorithm;
using adasum::slow::Vector;

constexpr std::size_t size = 10'000;

/// How similar the ranks' vectors are: `shared` is the fraction that all have in common.
struct Inputs {
  const char* name;
  double shared;
};
constexpr Inputs kinds[] = {{"random", 0}, {"alike", 0.9}, {"nearly parallel", 0.999}};

template <typename T>
constexpr double eps = std::numeric_limits<T>::epsilon();
template <>
constexpr double eps<adasum::Float16> = 0x1p-10;
template <>
constexpr double eps<adasum::BFloat16> = 0x1p-7;

// Values after rounding to T.
template <typename T>
Vector input(int rank, double shared) {
  std::mt19937 common(1);
  std::mt19937 own(static_cast<unsigned>(100 + rank));
  Vector values(size);
  for (double& value : values) {
    T element;
    adasum::round_to(element, shared * (common() * 0x1p-31 - 1) + (1 - shared) * (own() * 0x1p-31 - 1));
    value = adasum::to_double(element);
  }
  return values;
}

double length(const Vector& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// |result - wanted| / |wanted|, in eps of T.
template <typename T>
double error_in_eps(int ranks, Algorithm algorithm, double shared) {
  std::vector<Vector> inputs;
  for (int rank = 0; rank < ranks; ++rank) inputs.push_back(input<T>(rank, shared));
  const Vector wanted = adasum::slow::tree(inputs, {static_cast<std::int64_t>(size)});
  Vector off(size);
  adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
    std::vector<T> data(size);
    for (std::size_t i = 0; i < size; ++i)
      adasum::round_to(data[i], inputs[static_cast<std::size_t>(communicator.rank())][i]);
    adasum::Engine engine(communicator, {.algorithm = algorithm});
    adasum::Plan<T>(engine, {data}).run();
    if (communicator.rank() != 0) return;
    for (std::size_t i = 0; i < size; ++i) off[i] = adasum::to_double(data[i]) - wanted[i];
  });
  return length(off) / length(wanted) / eps<T>;
}

template <typename T>
void print_rows(const char* type) {
  for (const auto& [name, algorithm] :
       {std::pair{"shared", Algorithm::shared}, std::pair{"gram", Algorithm::gram},
        std::pair{"tree", Algorithm::tree}}) {
    std::printf("| %s, %s |", type, name);
    for (const Inputs& kind : kinds) {
      for (const int ranks : {2, 16}) std::printf(" %.2f |", error_in_eps<T>(ranks, algorithm, kind.shared));
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace adarun::bench

int main() {
  using namespace adarun::bench;
  std::printf("|");
  for (const Inputs& kind : kinds) std::printf(" | %s, 2 ranks | 16", kind.name);
  std::printf(" |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  print_rows<float>("fp32");
  print_rows<double>("fp64");
  print_rows<adasum::Float16>("fp16");
  print_rows<adasum::BFloat16>("bf16");
}
