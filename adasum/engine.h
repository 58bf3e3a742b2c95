// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>

#include "adasum/algorithms/topology.h"
#include "adasum/communicators/communicator.h"
#include "adasum/types/options.h"

namespace adasum {

/// The ranks of a world, prepared for AdaSum: determines once how they are grouped and which of them share a
/// machine. A Plan says what they combine. One thread per rank.
class Engine {
 public:
  /// Collective over `world`, which must outlive the engine. Throws adasum::Error, on every rank, if the
  /// world does not fit the options.
  ///
  /// `parts` is for tensors that are split over several ranks, as in model parallelism; null: each rank has
  /// whole tensors. `world` are then the ranks that hold the same parts as this one, one per replica of the
  /// model, and `parts` the ranks of this rank's replica, each with its part of every tensor, in the same
  /// order in all replicas. Parts may differ in size, also be empty. All dot products are those of whole
  /// tensors, and so are the coefficients: the parts of the result are those of AdaSum of the whole tensors.
  /// A tensor that all ranks of `parts` hold whole gets the same result on all of them, as if it were not
  /// split (to the bit if their number is a power of two, else to the rounding of a double). If any part has
  /// NaN or an infinity, its rank in `world` is returned on all ranks of all replicas. By messages, with
  /// Algorithm::gram; `parts` gathers as many numbers as there are dot products. Collective over `parts` too,
  /// which must outlive the engine.
  explicit Engine(Communicator& world, const Options& options = {}, Communicator* parts = nullptr);

  /// The same world with other options, the memory that `other` allocates, and separate communicators: plans
  /// of the two engines may be active at the same time. Collective; the world must outlive both.
  Engine(Engine& other, const Options& options);

  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Memory for tensors that the ranks of a node read and write in place, so that nothing is copied. Zeroed
  /// and page-aligned. Collective; sizes may differ; no plan of this engine may be active. If ranks share no
  /// memory, it is private to this rank. Throws adasum::Error, on every rank, if one has no memory; it names
  /// the rank, and the ranks may continue.
  std::span<std::byte> allocate(std::size_t size_bytes);

  /// Frees it. Collective. Returns false if it is not from allocate(), or has been freed already.
  bool free(const void* memory);

  /// This rank makes no further call, as one has failed on it: waits of the others for it end with PeerLost
  /// (over sockets and in shared memory).
  void give_up() { topology_.give_up(); }

  /// Whether the ranks of each node share memory.
  bool shares_memory() { return topology_.node() != nullptr; }

  Communicator& world() { return topology_.world(); }
  const Options& options() const { return topology_.options(); }

  /// For use by plans.
  algorithms::Topology& topology() { return topology_; }

 private:
  /// From allocate() where ranks share no memory.
  using OwnMemory = std::list<std::shared_ptr<std::byte>>;

  std::optional<std::span<std::byte>> allocate_here(std::size_t size_bytes);

  algorithms::Topology topology_;
  std::shared_ptr<OwnMemory> own_memory_;
};

}  // namespace adasum
