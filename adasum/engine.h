// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "adasum/options.h"
#include "adasum/peers.h"

namespace adasum {

class Node;

/// The ranks of a world made ready to combine what they have: how they are grouped and which of them share a
/// machine is found once. What is combined is a Plan's matter. One thread per rank.
class Engine {
 public:
  /// Collective over `world`, which must outlive the engine. Throws adasum::Error, on every rank alike, where the
  /// world does not fit the options.
  explicit Engine(Peers& world, const Options& options = {});

  /// The same world with other options, with the memory that `other` allocates, and with ways of its own: plans of this
  /// engine and of the other may be under way at the same time. Collective; the world must outlive both.
  Engine(Engine& other, const Options& options);

  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Memory for tensors that the ranks of a node read and write in place, so that nothing is copied; zeroes.
  /// Aligned to pages. Collective, sizes may differ. Where ranks share no memory it is this rank's own. Throws
  /// adasum::Error where there is none left.
  std::span<std::byte> allocate(std::size_t size_bytes);

  /// Gives it back. Collective; false where it is not from allocate(), or has been given back.
  bool free(const void* memory);

  /// Whether the ranks of each node share memory.
  bool shares_memory() const { return node_ != nullptr; }

  /// What a plan needs to know; the node is null where the algorithm is not to use its memory.
  Peers& world() { return world_; }
  const Options& options() const { return options_; }
  Node* node();

  /// The ranks of this one's group, and those of the same place in their groups, where there are groups of
  /// several. Null, and the world, where there are none, or where their number is no power of two.
  Peers* group() { return group_.get(); }
  Peers& across_groups() { return across_groups_ ? *across_groups_ : world_; }

  /// Throws adasum::Error, on every rank alike, unless all ranks have the same `fingerprint`; else whether some
  /// rank says `flag`. Collective.
  bool agree(std::uint64_t fingerprint, bool flag);

 private:
  struct OwnMemory;

  void split_into_groups();

  std::unique_ptr<Peers> own_world_;  // where it is another engine's world
  Peers& world_;
  Options options_;
  std::unique_ptr<Peers> group_;
  std::unique_ptr<Peers> across_groups_;
  std::unique_ptr<Node> node_;
  std::shared_ptr<OwnMemory> own_memory_;
};

}  // namespace adasum
