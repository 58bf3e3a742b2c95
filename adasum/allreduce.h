// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "adasum/peers.h"
#include "adasum/scratch.h"

namespace adasum {

/// How the ranks of a world are combined.
struct Options {
  /// Ranks [k*group_size, (k+1)*group_size) take their mean first, then the groups combine by AdaSum.
  /// 1: flat, every rank is a group of its own. Must divide the world's size; the number of groups must be
  /// a power of two.
  int group_size = 1;
};

/// An allreduce made ready for one world: it splits the world once, and keeps its buffers between calls. One
/// thread per rank.
class Engine {
 public:
  /// Collective over `world`, which must outlive the engine.
  /// Throws adasum::Error, on every rank alike, where the world does not fit the options.
  explicit Engine(Peers& world, const Options& options = {});

  /// Combines `data` of all ranks by AdaSum, in place, with the same bits on every rank.
  ///
  /// `data` holds tensors one after the other, `counts[t]` elements each; their sum is data.size(). AdaSum is
  /// defined per tensor: each has its own coefficients. A count may be 0. T is float or double; dot products
  /// and each pair's combination are computed in double, and stored as T. Collective over the world, with the
  /// same counts on every rank.
  ///
  /// Formula and tree: Maleki et al., "Scaling Distributed Training with Adaptive Summation", arXiv
  /// 2006.02924:
  ///   Adasum(a, b) = (1 - a.b / (2|a|^2)) a + (1 - a.b / (2|b|^2)) b,  over a balanced tree of neighbours.
  /// Departure: a vector with |a|^2 = 0 contributes nothing, and the other is taken as it is. So is each of a
  /// pair of double vectors shorter than 1e-146, whose squares underflow (see smallest_squared_norm).
  ///
  /// Throws adasum::Error where the counts do not add up, or a peer is gone; `data` is then undefined.
  template <typename T>
  void allreduce(std::span<T> data, std::span<const std::int64_t> counts);

 private:
  Peers* across_;                      // the ranks of the same place in their groups
  std::unique_ptr<Peers> own_across_;  // where that is not the world itself
  std::unique_ptr<Peers> group_;       // this rank's group, where it is not alone in it
  Scratch scratch_;
};

/// Engine(peers, options).allreduce(data, counts): for one call. With groups it splits the world each time.
template <typename T>
void allreduce(std::span<T> data, std::span<const std::int64_t> counts, Peers& peers,
               const Options& options = {});

extern template void Engine::allreduce<float>(std::span<float>, std::span<const std::int64_t>);
extern template void Engine::allreduce<double>(std::span<double>, std::span<const std::int64_t>);
extern template void allreduce<float>(std::span<float>, std::span<const std::int64_t>, Peers&,
                                      const Options&);
extern template void allreduce<double>(std::span<double>, std::span<const std::int64_t>, Peers&,
                                       const Options&);

}  // namespace adasum
