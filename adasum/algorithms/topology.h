// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "adasum/communicators/communicator.h"
#include "adasum/types/options.h"

namespace adasum {

class Node;

namespace algorithms {

/// The ranks of a world as the algorithms see them: how they are grouped, and which of them share the memory
/// of a node. Found once, when it is made. One thread per rank.
class Topology {
 public:
  /// Collective over `world`, which must outlive it. Throws UnsupportedWorld, on every rank alike, where the
  /// world does not fit the options.
  Topology(Communicator& world, const Options& options);

  /// The ranks of `other` with other options, and with communicators of its own: calls by this topology and
  /// by the other are independent. Shares the memory of the other's node. Collective; the world must outlive
  /// both.
  Topology(Topology& other, const Options& options);

  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  Communicator& world() { return world_; }
  const Options& options() const { return options_; }

  /// The leaves of the tree: groups by their means, or ranks where Options::group_size is 1.
  int participants() const { return world_.size() / options_.group_size; }

  /// The ranks that share this one's memory, where those of each node do; else null.
  Node* node() { return node_.get(); }

  /// The same, but null where the options ask for an algorithm by messages.
  Node* node_to_combine_in();

  /// The ranks of this one's group, and those of the same place in their groups, where there are groups of
  /// several. Null, and the world, where there are none, or where their number is no power of two.
  Communicator* group() { return group_.get(); }
  Communicator& across_groups() { return across_groups_ ? *across_groups_ : world_; }

  /// Throws TensorListMismatch, on every rank alike, unless all ranks have the same `fingerprint`; else
  /// whether some rank passes a true `flag`. Collective.
  bool agree(std::uint64_t fingerprint, bool flag);

 private:
  void split_into_groups();

  std::unique_ptr<Communicator> own_world_;  // where it is made of another topology
  Communicator& world_;
  Options options_;
  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Communicator> across_groups_;
  std::unique_ptr<Node> node_;
};

bool is_power_of_two(int number);

}  // namespace algorithms
}  // namespace adasum
