// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/types/options.h"

namespace adasum {

class Node;

namespace algorithms {

/// The ranks of a world as the algorithms see them: their groups, and which ranks share the memory of a node.
/// Computed once, on construction. One thread per rank.
class Topology {
 public:
  /// Collective over `world`, which must outlive it, and `parts` too. Throws UnsupportedWorld, on every rank,
  /// if the world does not fit the options.
  Topology(Communicator& world, const Options& options, Communicator* parts = nullptr);

  /// The ranks of `other` with other options and separate communicators: calls on the two topologies are
  /// independent. Shares the memory of the other's node. Collective; the world must outlive both.
  Topology(Topology& other, const Options& options);

  ~Topology();
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  Communicator& world() { return world_; }
  const Options& options() const { return options_; }

  /// The number of leaves of the tree: groups (by their means), or ranks if Options::group_size is 1.
  int participants() const { return world_.size() / options_.group_size; }

  /// The ranks that hold the parts of this rank's tensors, this one among them; null: it holds whole tensors.
  Communicator* parts() { return parts_; }

  /// The ranks that share memory with this one; null unless the ranks of every node share memory.
  Node* node() { return node_.get(); }

  /// The same, but null if the options select an algorithm that uses messages.
  Node* node_to_combine_in();

  /// The ranks of this rank's group, and the ranks with the same position in their groups. If groups have one
  /// rank, or if their number is not a power of two, group() is null and across_groups() is the world.
  Communicator* group() { return group_.get(); }
  Communicator& across_groups() { return across_groups_ ? *across_groups_ : world_; }

  /// Throws TensorListMismatch, on every rank, unless all ranks pass the same `fingerprint`, and all of
  /// parts() the same `of_parts`. Returns whether any rank passes a true `flag`. Collective, over parts()
  /// too: what one rank passes, those of all replicas and parts learn.
  bool agree(std::uint64_t fingerprint, bool flag, std::uint64_t of_parts = 0);

  /// This rank makes no further call, as one has failed on it: waits of the others for it end with PeerLost,
  /// if their world can be told.
  void give_up();

  /// Whether all ranks, those of parts() too, pass the same `number`, at most 2^52. Collective likewise.
  bool all_pass(std::uint64_t number);

 private:
  void max(std::span<double> values);
  void split_into_groups();

  std::unique_ptr<Communicator> own_world_;  // only if it is made from another topology
  std::unique_ptr<Communicator> own_parts_;  // likewise
  Communicator& world_;
  Communicator* parts_;
  Options options_;
  std::unique_ptr<Communicator> group_;
  std::unique_ptr<Communicator> across_groups_;
  std::unique_ptr<Node> node_;
};

bool is_power_of_two(int number);

}  // namespace algorithms
}  // namespace adasum
