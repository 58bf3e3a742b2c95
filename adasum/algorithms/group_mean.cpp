// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/group_mean.h"

#include <cstddef>
#include <vector>

namespace adasum::algorithms {
namespace {

// Calls visit(peer) for every other rank of the group. In round s those whose ranks add up to s (mod size)
// meet, so each round is a perfect matching for any size, and nobody waits for a rank that waits for another.
template <typename Visit>
void for_each_peer(const Peers& group, const Visit& visit) {
  for (int round = 0; round < group.size(); ++round) {
    const int peer = (round - group.rank() + group.size()) % group.size();
    if (peer != group.rank()) visit(peer);
  }
}

}  // namespace

template <typename T>
Range scatter_mean(std::span<T> data, Peers& group, Scratch& scratch) {
  const Range whole{0, data.size()};
  const Range mine = share(whole, group.rank(), group.size());
  const auto own = part(data, mine);
  const auto theirs = scratch.take<T>(mine.size());
  std::vector<double> sums(own.begin(), own.end());
  for_each_peer(group, [&](int peer) {
    group.exchange(peer, std::as_bytes(part(data, share(whole, peer, group.size()))),
                   std::as_writable_bytes(theirs));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(theirs[i]);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) own[i] = static_cast<T>(sums[i] / group.size());
  return mine;
}

template <typename T>
void gather_shares(std::span<T> data, Peers& group) {
  const Range whole{0, data.size()};
  const auto mine = part(data, share(whole, group.rank(), group.size()));
  for_each_peer(group, [&](int peer) {
    group.exchange(peer, std::as_bytes(mine),
                   std::as_writable_bytes(part(data, share(whole, peer, group.size()))));
  });
}

template Range scatter_mean<float>(std::span<float>, Peers&, Scratch&);
template Range scatter_mean<double>(std::span<double>, Peers&, Scratch&);
template void gather_shares<float>(std::span<float>, Peers&);
template void gather_shares<double>(std::span<double>, Peers&);

}  // namespace adasum::algorithms
