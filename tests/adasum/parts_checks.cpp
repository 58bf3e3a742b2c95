// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/world_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "adasum/plan.h"
#include "adasum/steps/delta_steps.h"
#include "adasum/steps/gradient_steps.h"
#include "adasum/types/layout.h"
#include "tests/adasum/slow_tree.h"

namespace adasum::checks {
namespace {

using Vector = std::vector<double>;

/// Whole tensors: two that are split, one that every rank holds, and one with fewer elements than parts.
const std::vector<std::int64_t> whole_counts = {13, 40, 6, 1};
constexpr std::size_t replicated = 2;

/// Where the ranks of a world are: replicas of `parts` consecutive ranks.
struct Mesh {
  Mesh(Communicator& communicator, int parts_of_each)
      : world(communicator.split(communicator.rank() % parts_of_each)),
        parts(communicator.split(communicator.rank() / parts_of_each)) {}

  std::unique_ptr<Communicator> world;
  std::unique_ptr<Communicator> parts;
};

/// All tensors of a replica, one after the other; the same on all its ranks.
Vector whole_tensors(int replica) {
  std::minstd_rand random(static_cast<unsigned>(replica) + 1);
  std::uniform_real_distribution<double> drawn(-1, 1);
  Vector values;
  for (const std::int64_t count : whole_counts) {
    for (std::int64_t i = 0; i < count; ++i) values.push_back(double{static_cast<float>(drawn(random))});
  }
  return values;
}

/// The part of tensor `number` that rank `part` of `parts` holds, in its elements.
Range part_of(std::size_t number, int part, int parts) {
  const Range whole{0, static_cast<std::size_t>(whole_counts[number])};
  if (number == replicated) return whole;
  if (number != 0) return share(whole, part, parts);
  // Unevenly: the first one holds all but one element of each of the others.
  const std::size_t first = whole.end - static_cast<std::size_t>(parts - 1);
  return part == 0
             ? Range{0, first}
             : Range{first + static_cast<std::size_t>(part) - 1, first + static_cast<std::size_t>(part)};
}

/// What this rank holds of `whole`, tensor by tensor.
template <typename T>
std::vector<std::vector<T>> parts_of(const Vector& whole, Communicator& parts) {
  std::vector<std::vector<T>> tensors;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < whole_counts.size(); ++t) {
    const Range range = part_of(t, parts.rank(), parts.size());
    const auto at = whole.begin() + static_cast<std::ptrdiff_t>(begin);
    tensors.emplace_back(at + static_cast<std::ptrdiff_t>(range.begin),
                         at + static_cast<std::ptrdiff_t>(range.end));
    begin += static_cast<std::size_t>(whole_counts[t]);
  }
  return tensors;
}

template <typename T>
std::vector<std::span<T>> spans(std::vector<std::vector<T>>& tensors) {
  return {tensors.begin(), tensors.end()};
}

template <typename T>
void expect_near(const std::vector<std::vector<T>>& got, const std::vector<std::vector<double>>& wanted) {
  // Inputs are below 1, and the longest result some times as large: roundings of each level, and of T.
  constexpr double tolerance = 32 * double{std::numeric_limits<T>::epsilon()};
  for (std::size_t t = 0; t < wanted.size(); ++t) {
    for (std::size_t i = 0; i < wanted[t].size(); ++i)
      EXPECT_NEAR(got[t][i], wanted[t][i], tolerance) << "tensor " << t << ", element " << i;
  }
}

template <typename T>
void expect_same_bits(const std::vector<T>& values, Communicator& ranks) {
  std::vector<T> first = values;
  ranks.broadcast(std::as_writable_bytes(std::span(first)), 0);
  EXPECT_EQ(values, first);
}

template <typename T>
void compare_with_slow_tree(Communicator& communicator, int parts, int group_size) {
  const Mesh mesh(communicator, parts);
  std::vector<Vector> replicas;
  for (int replica = 0; replica < mesh.world->size(); ++replica) replicas.push_back(whole_tensors(replica));
  auto tensors = parts_of<T>(replicas[static_cast<std::size_t>(mesh.world->rank())], *mesh.parts);
  Engine engine(*mesh.world, {.group_size = group_size, .worlds = Worlds::any}, mesh.parts.get());
  Plan<T> plan(engine, spans(tensors));
  EXPECT_EQ(plan.run(), std::nullopt);
  const Vector wanted =
      slow::tree(slow::group_means(replicas, static_cast<std::size_t>(group_size)), whole_counts);
  expect_near(tensors, parts_of<double>(wanted, *mesh.parts));
  for (const std::vector<T>& tensor : tensors) expect_same_bits(tensor, *mesh.world);
  expect_same_bits(tensors[replicated], *mesh.parts);
}

/// Some steps, of ranks that hold parts or, where `parts` is null, whole tensors. The weights at their end.
template <typename MakeSteps>
std::vector<std::vector<double>> weights_after(Communicator& world, Communicator& parts,
                                               const MakeSteps& make) {
  auto weights = parts_of<double>(whole_tensors(100), parts);
  auto gradients = parts_of<double>(whole_tensors(world.rank()), parts);
  const std::unique_ptr<Steps<double>> steps = make(spans(weights), spans(gradients));
  for (int number = 0; number < 3; ++number) {
    steps->begin();
    const auto drawn = parts_of<double>(whole_tensors(world.rank() + 1000 * number), parts);
    for (std::size_t t = 0; t < drawn.size(); ++t) std::ranges::copy(drawn[t], gradients[t].begin());
    EXPECT_EQ(steps->end([&] {
      for (std::size_t t = 0; t < weights.size(); ++t) {
        for (std::size_t i = 0; i < weights[t].size(); ++i) weights[t][i] -= 0.1 * gradients[t][i];
      }
    }),
              std::nullopt);
  }
  return weights;
}

}  // namespace

void parts_of_tensors(Communicator& communicator, int parts, int group_size) {
  compare_with_slow_tree<float>(communicator, parts, group_size);
  compare_with_slow_tree<double>(communicator, parts, group_size);
}

void parts_not_finite(Communicator& communicator, int parts) {
  const Mesh mesh(communicator, parts);
  const Vector whole = whole_tensors(mesh.world->rank());
  Engine engine(*mesh.world, {.worlds = Worlds::any}, mesh.parts.get());
  for (int bad = 0; bad < communicator.size(); ++bad) {
    auto tensors = parts_of<float>(whole, *mesh.parts);
    float& spoiled = tensors[0].back();  // every rank holds elements of this tensor
    const float sound = spoiled;
    if (communicator.rank() == bad) spoiled = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(Plan<float>(engine, spans(tensors)).run(), bad / parts);
    EXPECT_EQ(std::isnan(spoiled), communicator.rank() == bad);
    spoiled = sound;
    EXPECT_EQ(tensors, parts_of<float>(whole, *mesh.parts));
  }
}

void steps_of_parts(Communicator& communicator, int parts) {
  const Mesh mesh(communicator, parts);
  for (const bool by_delta : {false, true}) {
    for (const GroupGain gain : {GroupGain::none, GroupGain::spread}) {
      const int group_size = gain == GroupGain::spread && mesh.world->size() % 2 == 0 ? 2 : 1;
      const Options options{.group_size = group_size, .group_gain = gain, .worlds = Worlds::any};
      const auto steps = [&](Engine& engine) {
        return [&engine, by_delta](auto weights, auto gradients) -> std::unique_ptr<Steps<double>> {
          if (!by_delta) return std::make_unique<GradientSteps<double>>(engine, gradients);
          return std::make_unique<DeltaSteps<double>>(engine, LocalState<double>{weights, {}}, gradients);
        };
      };
      Engine engine(*mesh.world, options, mesh.parts.get());
      const auto got = weights_after(*mesh.world, *mesh.parts, steps(engine));
      // The same replicas, each rank with whole tensors.
      Engine of_whole(*mesh.world, options);
      const std::unique_ptr<Communicator> alone = communicator.split(communicator.rank());
      const auto wanted = weights_after(*mesh.world, *alone, steps(of_whole));
      Vector flat;
      for (const Vector& tensor : wanted) flat.insert(flat.end(), tensor.begin(), tensor.end());
      expect_near(got, parts_of<double>(flat, *mesh.parts));
    }
  }
}

}  // namespace adasum::checks
