// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/topology.h"

#include <array>
#include <bit>
#include <string>

#include "adasum/communicators/message_reduce.h"
#include "adasum/shared_memory/node.h"
#include "adasum/types/error.h"

namespace adasum::algorithms {
namespace {

void check_world(int world_size, const Options& options) {
  const std::string world = "world of " + std::to_string(world_size) + " ranks: ";
  const int group_size = options.group_size;
  if (group_size < 1 || world_size % group_size != 0) {
    throw UnsupportedWorld(world + "group size " + std::to_string(group_size) +
                           ": wanted a divisor of the world's size");
  }
  const int groups = world_size / group_size;
  if (is_power_of_two(groups)) return;
  const std::string number = world + (group_size == 1 ? "" : std::to_string(groups) + " groups: ");
  if (options.worlds == Worlds::powers_of_two)
    throw UnsupportedWorld(number + "AdaSum combines a power of two (1, 2, 4, 8, 16, ...)");
  if (options.algorithm == Algorithm::tree)
    throw UnsupportedWorld(number + "the tree algorithm takes a power of two");
}

}  // namespace

bool is_power_of_two(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

Topology::Topology(Communicator& world, const Options& options) : world_(world), options_(options) {
  check_world(world.size(), options);
  if (world.size() > 1) node_ = Node::make(world);
  split_into_groups();
}

Topology::Topology(Topology& other, const Options& options)
    : own_world_(other.world_.split(0)), world_(*own_world_), options_(options) {
  check_world(world_.size(), options);
  if (other.node_) node_ = other.node_->duplicate(world_);
  split_into_groups();
}

Topology::~Topology() = default;

void Topology::split_into_groups() {
  if (options_.group_size == 1 || !is_power_of_two(participants())) return;
  group_ = world_.split(world_.rank() / options_.group_size);
  across_groups_ = world_.split(world_.rank() % options_.group_size);
}

Node* Topology::node_to_combine_in() {
  const bool by_messages = options_.algorithm == Algorithm::tree || options_.algorithm == Algorithm::gram;
  return by_messages ? nullptr : node_.get();
}

bool Topology::agree(std::uint64_t fingerprint, bool flag) {
  constexpr int exact_bits = 52;  // a double holds them exactly
  const auto number = static_cast<double>(fingerprint >> (64 - exact_bits));
  std::array<double, 3> values = {number, -number, flag ? 1.0 : 0.0};
  if (node_ && node_->across() == nullptr) {
    node_->shared_reduce().max(values);
  } else {
    MessageReduce(world_).max(values);
  }
  if (values[0] != -values[1]) throw TensorListMismatch("ranks have been given different lists of tensors");
  return values[2] != 0;
}

}  // namespace adasum::algorithms
