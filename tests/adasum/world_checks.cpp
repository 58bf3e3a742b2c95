// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/world_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/plan.h"
#include "adasum/types/error.h"
#include "adasum/types/number.h"
#include "tests/adasum/slow_tree.h"

namespace adasum::checks {
namespace {

template <typename T>
std::vector<T> as(const std::vector<double>& values) {
  std::vector<T> elements(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) round_to(elements[i], values[i]);
  return elements;
}

template <typename T>
std::vector<double> doubles(std::span<const T> elements) {
  std::vector<double> values;
  for (const T element : elements) values.push_back(to_double(element));
  return values;
}

// The distance from 1 to the next larger number.
template <typename T>
constexpr double eps = std::numeric_limits<T>::epsilon();
template <>
constexpr double eps<Float16> = 0x1p-10;
template <>
constexpr double eps<BFloat16> = 0x1p-7;

template <typename T>
bool same_bits_everywhere(const std::vector<T>& values, Communicator& communicator) {
  std::vector<T> first = values;
  communicator.broadcast(std::as_writable_bytes(std::span(first)), 0);
  const auto mine = std::as_bytes(std::span(values));
  const auto theirs = std::as_bytes(std::span(first));
  return std::equal(mine.begin(), mine.end(), theirs.begin());
}

// Uniform in [-1, 1), rounded to T; seeded by rank, so that rank 0 can generate every rank's.
template <typename T>
std::vector<double> random_input(int rank, std::size_t size) {
  std::mt19937 random(1000u + static_cast<unsigned>(rank));
  std::vector<double> values(size);
  for (double& value : values) value = random() * 0x1p-31 - 1;
  return doubles<T>(as<T>(values));
}

double length(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// |result - wanted| relative to the longest input: pairs may cancel, so the result itself is no measure. Each
// level rounds once, by eps / 2 of a node that is no longer than its inputs' sum; 4 eps is the limit that we
// guarantee. In double the order of the dot products' additions is visible too.
template <typename T>
void expect_near(std::span<const T> result, const std::vector<double>& wanted, double scale) {
  std::vector<double> error = doubles<T>(result);
  for (std::size_t i = 0; i < wanted.size(); ++i) error[i] -= wanted[i];
  EXPECT_LE(length(error), (sizeof(T) == 8 ? 64 : 4) * eps<T> * scale);
}

template <typename T>
void golden_case(Communicator& communicator, const std::vector<std::int64_t>& counts,
                 const std::vector<double>& wanted) {
  auto data = as<T>(golden::input(communicator.rank(), wanted.size()));
  allreduce<T>(data, counts, communicator);
  // Printed to 15 digits or more; in float the inputs themselves have an error of eps / 2 each.
  const double tolerance = sizeof(T) == 8 ? 4e-15 : 8 * std::numeric_limits<float>::epsilon();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(data[i], wanted[i], tolerance) << "element " << i;
  EXPECT_TRUE(same_bits_everywhere(data, communicator));
}

constexpr Algorithm every_algorithm[] = {Algorithm::automatic, Algorithm::tree, Algorithm::gram,
                                         Algorithm::shared};

constexpr const char* name_of(Algorithm algorithm) {
  constexpr const char* names[] = {"automatic", "tree", "gram", "shared"};
  return names[static_cast<int>(algorithm)];
}

bool is_power_of_two(int number) {
  return (number & (number - 1)) == 0;
}

// Calls visit(options) for every way to combine this world in groups of that size.
template <typename Visit>
void for_each_way(const Communicator& communicator, int group_size, const Visit& visit) {
  for (const Algorithm algorithm : every_algorithm) {
    if (algorithm == Algorithm::tree && !is_power_of_two(communicator.size() / group_size)) continue;
    SCOPED_TRACE(std::string("algorithm ") + name_of(algorithm));
    visit(Options{.group_size = group_size, .algorithm = algorithm, .worlds = Worlds::any});
  }
}

// One vector of `size` elements per rank, and the slow tree's result.
template <typename T>
struct Problem {
  Problem(Communicator& communicator, std::size_t size, int group_size,
          const std::vector<std::int64_t>& tensors)
      : mine(as<T>(random_input<T>(communicator.rank(), size))), counts(tensors) {
    if (communicator.rank() != 0) return;
    std::vector<slow::Vector> inputs;
    for (int rank = 0; rank < communicator.size(); ++rank) {
      inputs.push_back(random_input<T>(rank, size));
      scale = std::max(scale, length(inputs.back()));
    }
    wanted = slow::tree(slow::group_means(inputs, static_cast<std::size_t>(group_size)), counts);
  }

  void check(std::span<const T> result, Communicator& communicator) const {
    EXPECT_TRUE(same_bits_everywhere(std::vector<T>(result.begin(), result.end()), communicator));
    if (communicator.rank() == 0) expect_near<T>(result, wanted, scale);
  }

  std::vector<T> mine;
  std::vector<std::int64_t> counts;
  slow::Vector wanted;
  double scale = 0;
};

// The problem's vector as tensors in `memory`, with `gap` elements between them.
template <typename T>
std::vector<std::span<T>> laid_out(const Problem<T>& problem, std::span<T> memory, std::size_t gap) {
  std::vector<std::span<T>> tensors;
  auto next = problem.mine.begin();
  for (const std::int64_t count : problem.counts) {
    tensors.push_back(memory.first(static_cast<std::size_t>(count)));
    std::copy_n(next, count, tensors.back().begin());
    next += count;
    memory = memory.subspan(std::min(tensors.back().size() + gap, memory.size()));
  }
  return tensors;
}

template <typename T>
std::vector<T> joined(const std::vector<std::span<T>>& tensors) {
  std::vector<T> all;
  for (const auto tensor : tensors) all.insert(all.end(), tensor.begin(), tensor.end());
  return all;
}

// In ordinary memory, and in memory from the engine, where tensors are contiguous and where they are not;
// each plan runs twice.
template <typename T>
void slow_tree_case(Communicator& communicator, const Problem<T>& problem, const Options& options) {
  Engine engine(communicator, options);
  const std::size_t room = problem.mine.size() + 3 * problem.counts.size();
  std::vector<T> ordinary(room);
  const auto allocated = engine.allocate(room * sizeof(T));
  for (const std::span<T> memory :
       {std::span(ordinary), std::span(reinterpret_cast<T*>(allocated.data()), room)}) {
    for (const std::size_t gap : {0, 3}) {
      SCOPED_TRACE(memory.data() == ordinary.data() ? "ordinary memory" : "memory of the engine");
      const auto tensors = laid_out(problem, memory, gap);
      Plan<T> plan(engine, tensors);
      for (int run = 0; run < 2; ++run) {
        laid_out(problem, memory, gap);
        EXPECT_EQ(plan.run(), std::nullopt);
        problem.check(joined(tensors), communicator);
      }
    }
  }
}

// Whether the nodes of this world hold whole subtrees.
bool takes_shared(Communicator& communicator, const Options& options) {
  try {
    Engine engine(communicator, options);
    Plan<float>(engine, {});
    return true;
  } catch (const Error&) {
    return false;
  }
}

template <typename T>
void slow_tree_of(Communicator& communicator, std::size_t size, int group_size,
                  const std::vector<std::int64_t>& counts) {
  const Problem<T> problem(communicator, size, group_size, counts);
  for_each_way(communicator, group_size, [&](const Options& options) {
    if (options.algorithm == Algorithm::shared && !takes_shared(communicator, options)) return;
    slow_tree_case(communicator, problem, options);
  });
}

}  // namespace

void golden_values(Communicator& communicator) {
  if (const auto found = golden::one_tensor.find(communicator.size()); found != golden::one_tensor.end()) {
    golden_case<double>(communicator, {5}, found->second);
    golden_case<float>(communicator, {5}, found->second);
  }
  if (communicator.size() == 4) {
    golden_case<double>(communicator, golden::counts, golden::five_tensors);
    golden_case<float>(communicator, golden::counts, golden::five_tensors);
  }
}

void slow_tree(Communicator& communicator, std::size_t size, int group_size, Types types) {
  const auto n = static_cast<std::int64_t>(size);
  const std::vector<std::vector<std::int64_t>> divisions = {{n}, {0, n / 3, 0, n - n / 3 - n / 5, n / 5, 0}};
  for (const auto& counts : divisions) {
    SCOPED_TRACE("world of " + std::to_string(communicator.size()) + ", groups of " +
                 std::to_string(group_size) + ", " + std::to_string(size) + " elements, " +
                 std::to_string(counts.size()) + " tensors");
    slow_tree_of<float>(communicator, size, group_size, counts);
    if (types == Types::only_float || counts.size() == 1) continue;
    slow_tree_of<double>(communicator, size, group_size, counts);
    slow_tree_of<Float16>(communicator, size, group_size, counts);
    slow_tree_of<BFloat16>(communicator, size, group_size, counts);
  }
}

void slow_tree_sizes(Communicator& communicator) {
  const auto p = static_cast<std::size_t>(communicator.size());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, 20 * p - 17, 2 * p + 1, p + 2})
    slow_tree(communicator, size, 1, Types::only_float);
  slow_tree(communicator, 20 * p - 13);
  for (int group_size = 2; group_size <= communicator.size(); ++group_size) {
    if (communicator.size() % group_size == 0)
      slow_tree(communicator, 20 * p - 17, group_size, Types::only_float);
  }
  slow_tree(communicator, std::size_t{1} << 15, 1, Types::only_float);
}

void takes_shared_memory(Communicator& communicator, bool wanted) {
  EXPECT_EQ(takes_shared(communicator, {.algorithm = Algorithm::shared, .worlds = Worlds::any}), wanted);
}

void refuses_world(Communicator& communicator) {
  std::vector<float> data(5);
  const std::vector<std::int64_t> counts = {5};
  try {
    allreduce<float>(data, counts, communicator);
    ADD_FAILURE() << "a world of " << communicator.size() << " was not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("world of " + std::to_string(communicator.size())),
              std::string::npos)
        << error.what();
  }
  slow_tree(communicator, 7, communicator.size());
}

void not_finite(Communicator& communicator) {
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (int rank = 0; rank < communicator.size(); ++rank) {
    for_each_way(communicator, 1, [&](const Options& options) {
      std::vector<double> input(11, 1.5 + communicator.rank());
      if (communicator.rank() >= rank) input[static_cast<std::size_t>(rank) % 11] = values[rank % 3];
      auto data = as<float>(input);
      const auto before = data;
      const std::vector<std::int64_t> counts = {4, 7};
      EXPECT_EQ(allreduce<float>(data, counts, communicator, options), rank);
      EXPECT_EQ(std::memcmp(data.data(), before.data(), sizeof(float) * data.size()), 0) << "rank " << rank;
    });
  }
}

void result_too_large(Communicator& communicator, int group_size) {
  const bool even = communicator.rank() / group_size % 2 == 0;  // Neighbours are orthogonal.
  const auto mine = as<Float16>({40000, even ? 40000.0 : -40000.0, 1, 1, 1});
  for_each_way(communicator, group_size, [&](const Options& options) {
    if (options.algorithm == Algorithm::shared && !takes_shared(communicator, options)) return;
    Engine engine(communicator, options);
    auto ordinary = mine;
    const auto allocated = engine.allocate(mine.size() * sizeof(Float16));
    for (const std::span<Float16> data :
         {std::span(ordinary), std::span(reinterpret_cast<Float16*>(allocated.data()), mine.size())}) {
      std::ranges::copy(mine, data.begin());
      Plan<Float16> plan(engine, {data.first(2), data.subspan(2)});
      EXPECT_EQ(plan.run(), std::nullopt);
      EXPECT_FALSE(std::isfinite(to_double(data[0])));
      EXPECT_EQ(doubles<Float16>(data.subspan(2)), std::vector<double>(3, 1)) << "equal vectors average";
      EXPECT_TRUE(same_bits_everywhere(std::vector<Float16>(data.begin(), data.end()), communicator));
    }
  });
}

void lists_that_differ(Communicator& communicator) {
  if (communicator.size() == 1) return;
  std::vector<float> data(6);
  const std::vector<std::int64_t> counts = {2, 4};
  const std::vector<std::int64_t> other = {3, 3};
  for_each_way(communicator, 1, [&](const Options& options) {
    Engine engine(communicator, options);
    EXPECT_THROW(
        allreduce<float>(data, communicator.rank() == communicator.size() - 1 ? other : counts, engine),
        Error);
    EXPECT_EQ(allreduce<float>(data, counts, engine), std::nullopt) << "continues afterwards";
  });
}

namespace {

template <typename T>
std::vector<T> combined(Communicator& communicator, const Options& options) {
  const std::vector<std::int64_t> counts = {67, 1, 1027};
  auto data = as<T>(random_input<T>(communicator.rank(), 67 + 1 + 1027));
  Engine engine(communicator, options);
  EXPECT_EQ(allreduce<T>(data, counts, engine), std::nullopt);
  return data;
}

template <typename T>
void expect_bits_of_threads(Communicator& communicator, int ranks_per_node, Adds adds) {
  for_each_way(communicator, 1, [&](const Options& options) {
    const bool by_messages = options.algorithm == Algorithm::tree || options.algorithm == Algorithm::gram;
    if (by_messages && adds == Adds::in_shared_memory) return;
    const std::vector<T> data = combined<T>(communicator, options);
    EXPECT_TRUE(same_bits_everywhere(data, communicator));
    if (communicator.rank() != 0) return;
    std::vector<T> of_threads;
    run_ranks(communicator.size(),
              [&](Communicator& thread) {
                auto result = combined<T>(thread, options);
                if (thread.rank() == 0) of_threads = std::move(result);
              },
              {.ranks_per_node = ranks_per_node});
    EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(data)), std::as_bytes(std::span(of_threads))));
  });
}

}  // namespace

void same_bits_as_threads(Communicator& communicator, int ranks_per_node, Adds adds) {
  expect_bits_of_threads<float>(communicator, ranks_per_node, adds);
  expect_bits_of_threads<double>(communicator, ranks_per_node, adds);
  expect_bits_of_threads<Float16>(communicator, ranks_per_node, adds);
  expect_bits_of_threads<BFloat16>(communicator, ranks_per_node, adds);
}

namespace {

void expect_sums(Communicator& communicator) {
  const int p = communicator.size();
  std::vector<double> doubles = {1, static_cast<double>(communicator.rank()), 0x1p900};
  communicator.sum(doubles);
  EXPECT_EQ(doubles, (std::vector<double>{1.0 * p, p * (p - 1) / 2.0, p * 0x1p900}));
  std::vector<float> floats(3, 0.5f);
  communicator.sum(floats);
  EXPECT_EQ(floats, std::vector<float>(3, 0.5f * static_cast<float>(p)));
}

void expect_collectives(Communicator& communicator) {
  const int rank = communicator.rank();
  std::vector<int> all(static_cast<std::size_t>(communicator.size()), -1);
  communicator.all_gather(std::as_bytes(std::span(&rank, 1)), std::as_writable_bytes(std::span(all)));
  for (int peer = 0; peer < communicator.size(); ++peer) EXPECT_EQ(all[static_cast<std::size_t>(peer)], peer);
  int value = rank;
  communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), communicator.size() - 1);
  EXPECT_EQ(value, communicator.size() - 1);
}

// Different lengths in each direction: each rank sends as many ints as its number.
void expect_exchange(Communicator& communicator) {
  const int peer = communicator.size() - 1 - communicator.rank();
  if (peer == communicator.rank()) return;
  const std::vector<int> out(static_cast<std::size_t>(communicator.rank()), communicator.rank());
  std::vector<int> in(static_cast<std::size_t>(peer), -1);
  communicator.exchange(peer, std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(in)));
  EXPECT_EQ(in, std::vector<int>(static_cast<std::size_t>(peer), peer));
}

}  // namespace

void communicator_contract(Communicator& communicator) {
  expect_sums(communicator);
  expect_collectives(communicator);
  expect_exchange(communicator);
  const auto part = communicator.split(communicator.rank() % 2);
  EXPECT_EQ(part->rank(), communicator.rank() / 2);
  EXPECT_EQ(part->size(), (communicator.size() + 1 - communicator.rank() % 2) / 2);
  expect_sums(*part);
  expect_collectives(*part);
  const auto again = part->split(0);
  EXPECT_EQ(again->size(), part->size());
  expect_exchange(*again);
}

}  // namespace adasum::checks
