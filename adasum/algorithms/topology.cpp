// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/topology.h"

#include <array>
#include <bit>
#include <string>

#include "adasum/communicators/scalar_reduce.h"
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

// Of a fingerprint, as much as a double holds exactly.
double as_double(std::uint64_t fingerprint) {
  constexpr int exact_bits = 52;
  return static_cast<double>(fingerprint >> (64 - exact_bits));
}

void check_parts(const Options& options) {
  if (options.algorithm != Algorithm::automatic && options.algorithm != Algorithm::gram)
    throw UnsupportedWorld("parts of tensors: combined by the gram algorithm only");
}

}  // namespace

bool is_power_of_two(int number) {
  return std::has_single_bit(static_cast<unsigned>(number));
}

Topology::Topology(Communicator& world, const Options& options, Communicator* parts)
    : world_(world), parts_(parts), options_(options) {
  check_world(world.size(), options);
  if (parts != nullptr) check_parts(options);
  if (world.size() > 1) node_ = Node::make(world);
  split_into_groups();
}

Topology::Topology(Topology& other, const Options& options)
    : own_world_(other.world_.split(0)),
      own_parts_(other.parts_ != nullptr ? other.parts_->split(0) : nullptr),
      world_(*own_world_),
      parts_(own_parts_.get()),
      options_(options) {
  check_world(world_.size(), options);
  if (parts_ != nullptr) check_parts(options);
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

void Topology::give_up() {
  if (node_) node_->shared_reduce().give_up();
  world_.give_up();
}

bool Topology::agree(std::uint64_t fingerprint, bool flag, std::uint64_t of_parts) {
  std::array<double, 3> values = {as_double(fingerprint), -as_double(fingerprint), flag ? 1.0 : 0.0};
  max(values);
  bool differ = values[0] != -values[1];
  bool any = values[2] != 0;
  if (parts_ != nullptr) {
    std::array<double, 4> found = {as_double(of_parts), -as_double(of_parts), differ ? 1.0 : 0.0, values[2]};
    OrderedReduce(*parts_).max(found);
    differ = found[0] != -found[1] || found[2] != 0;
    any = found[3] != 0;
  }
  if (differ) throw TensorListMismatch("ranks have been given different lists of tensors");
  return any;
}

bool Topology::all_pass(std::uint64_t number) {
  std::array<double, 2> values = {static_cast<double>(number), -static_cast<double>(number)};
  max(values);
  if (parts_ != nullptr) OrderedReduce(*parts_).max(values);
  return values[0] == -values[1];
}

void Topology::max(std::span<double> values) {
  if (node_ && node_->across() == nullptr) {
    node_->shared_reduce().max(values);
  } else {
    MessageReduce(world_).max(values);
  }
}

}  // namespace adasum::algorithms
