// SPDX-License-Identifier: Apache-2.0
#include "world_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "adasum/allreduce.h"
#include "adasum/error.h"
#include "golden.h"
#include "slow_tree.h"

namespace adasum::checks {
namespace {

template <typename T>
std::vector<T> as(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

template <typename T>
bool same_bits_everywhere(const std::vector<T>& values, Peers& peers) {
  std::vector<T> first = values;
  peers.broadcast(std::as_writable_bytes(std::span(first)), 0);
  const auto mine = std::as_bytes(std::span(values));
  const auto theirs = std::as_bytes(std::span(first));
  return std::equal(mine.begin(), mine.end(), theirs.begin());
}

// Uniform in [-1, 1), as T holds them; seeded by rank, so that rank 0 can make everyone's.
template <typename T>
std::vector<double> random_input(int rank, std::size_t size) {
  std::mt19937 random(1000u + static_cast<unsigned>(rank));
  std::vector<double> values(size);
  for (double& value : values) value = static_cast<T>(random() * 0x1p-31 - 1);
  return values;
}

double length(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// |result - wanted| against the longest input: pairs may cancel, so the result itself is no measure. Each
// level rounds once, by eps / 2 of a node that is no longer than its inputs' sum; 4 eps in float is what we
// hold ourselves to. In double the order of the dot products' additions shows too.
template <typename T>
void expect_near(const std::vector<T>& result, const std::vector<double>& wanted, double scale) {
  std::vector<double> error(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) error[i] = static_cast<double>(result[i]) - wanted[i];
  const double eps = std::numeric_limits<T>::epsilon();
  EXPECT_LE(length(error), (sizeof(T) == 4 ? 4 : 64) * eps * scale);
}

template <typename T>
void golden_case(Peers& peers, const std::vector<std::int64_t>& counts, const std::vector<double>& wanted) {
  auto data = as<T>(golden::input(peers.rank(), wanted.size()));
  allreduce<T>(data, counts, peers);
  // Printed to 15 digits or more; in float the inputs themselves are off by eps / 2 each.
  const double tolerance = sizeof(T) == 8 ? 4e-15 : 8 * std::numeric_limits<float>::epsilon();
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(data[i], wanted[i], tolerance) << "element " << i;
  EXPECT_TRUE(same_bits_everywhere(data, peers));
}

template <typename T>
void slow_tree_case(Peers& peers, const std::vector<std::int64_t>& counts, std::size_t size, int group_size) {
  auto data = as<T>(random_input<T>(peers.rank(), size));
  allreduce<T>(data, counts, peers, {.group_size = group_size});
  EXPECT_TRUE(same_bits_everywhere(data, peers));
  if (peers.rank() != 0) return;
  std::vector<slow::Vector> inputs;
  double scale = 0;
  for (int rank = 0; rank < peers.size(); ++rank) {
    inputs.push_back(random_input<T>(rank, size));
    scale = std::max(scale, length(inputs.back()));
  }
  inputs = slow::group_means(inputs, static_cast<std::size_t>(group_size));
  expect_near(data, slow::tree(inputs, counts), scale);
}

}  // namespace

void golden_values(Peers& peers) {
  if (const auto found = golden::one_tensor.find(peers.size()); found != golden::one_tensor.end()) {
    golden_case<double>(peers, {5}, found->second);
    golden_case<float>(peers, {5}, found->second);
  }
  if (peers.size() == 4) {
    golden_case<double>(peers, golden::counts, golden::five_tensors);
    golden_case<float>(peers, golden::counts, golden::five_tensors);
  }
}

void slow_tree(Peers& peers, std::size_t size, int group_size) {
  const auto n = static_cast<std::int64_t>(size);
  const std::vector<std::vector<std::int64_t>> divisions = {{n}, {0, n / 3, 0, n - n / 3 - n / 5, n / 5, 0}};
  for (const auto& counts : divisions) {
    SCOPED_TRACE("world of " + std::to_string(peers.size()) + ", groups of " + std::to_string(group_size) +
                 ", " + std::to_string(size) + " elements, " + std::to_string(counts.size()) + " tensors");
    slow_tree_case<float>(peers, counts, size, group_size);
    slow_tree_case<double>(peers, counts, size, group_size);
  }
}

void slow_tree_sizes(Peers& peers) {
  const auto p = static_cast<std::size_t>(peers.size());
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{5},
                                 std::size_t{17}, 20 * p - 17, 20 * p - 13, 2 * p + 1, p + 2}) {
    for (int group_size = 1; group_size <= peers.size(); group_size *= 2) slow_tree(peers, size, group_size);
  }
  slow_tree(peers, std::size_t{1} << 15);
  slow_tree(peers, std::size_t{1} << 15, std::max(peers.size() / 2, 1));
}

void refuses_world(Peers& peers) {
  std::vector<float> data(5);
  const std::vector<std::int64_t> counts = {5};
  try {
    allreduce<float>(data, counts, peers);
    ADD_FAILURE() << "a world of " << peers.size() << " was not refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("world of " + std::to_string(peers.size())), std::string::npos)
        << error.what();
  }
  slow_tree(peers, 7, peers.size());
}

namespace {

void expect_sums(Peers& peers) {
  const int p = peers.size();
  std::vector<double> doubles = {1, static_cast<double>(peers.rank()), 0x1p900};
  peers.sum(doubles);
  EXPECT_EQ(doubles, (std::vector<double>{1.0 * p, p * (p - 1) / 2.0, p * 0x1p900}));
  std::vector<float> floats(3, 0.5f);
  peers.sum(floats);
  EXPECT_EQ(floats, std::vector<float>(3, 0.5f * static_cast<float>(p)));
}

void expect_collectives(Peers& peers) {
  const int rank = peers.rank();
  std::vector<int> all(static_cast<std::size_t>(peers.size()), -1);
  peers.all_gather(std::as_bytes(std::span(&rank, 1)), std::as_writable_bytes(std::span(all)));
  for (int peer = 0; peer < peers.size(); ++peer) EXPECT_EQ(all[static_cast<std::size_t>(peer)], peer);
  int value = rank;
  peers.broadcast(std::as_writable_bytes(std::span(&value, 1)), peers.size() - 1);
  EXPECT_EQ(value, peers.size() - 1);
}

// Crossed lengths: each sends as many ints as its rank is high.
void expect_exchange(Peers& peers) {
  const int peer = peers.size() - 1 - peers.rank();
  if (peer == peers.rank()) return;
  const std::vector<int> out(static_cast<std::size_t>(peers.rank()), peers.rank());
  std::vector<int> in(static_cast<std::size_t>(peer), -1);
  peers.exchange(peer, std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(in)));
  EXPECT_EQ(in, std::vector<int>(static_cast<std::size_t>(peer), peer));
}

}  // namespace

void peers_contract(Peers& peers) {
  expect_sums(peers);
  expect_collectives(peers);
  expect_exchange(peers);
  const auto part = peers.split(peers.rank() % 2);
  EXPECT_EQ(part->rank(), peers.rank() / 2);
  EXPECT_EQ(part->size(), (peers.size() + 1 - peers.rank() % 2) / 2);
  expect_sums(*part);
  expect_collectives(*part);
  const auto again = part->split(0);
  EXPECT_EQ(again->size(), part->size());
  expect_exchange(*again);
}

}  // namespace adasum::checks
