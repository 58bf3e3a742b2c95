// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/group_mean.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

// Calls visit(peer) for every other rank. In round s, two ranks are partners if their sum is s (mod size). So
// each round is a perfect matching for any size, and the exchanges cannot deadlock.
template <typename Visit>
void for_each_partner(const Communicator& communicator, const Visit& visit) {
  for (int round = 0; round < communicator.size(); ++round) {
    const int peer = (round - communicator.rank() + communicator.size()) % communicator.size();
    if (peer != communicator.rank()) visit(peer);
  }
}

}  // namespace

template <typename T>
Range scatter_mean(std::span<T> data, Communicator& group, Scratch& scratch) {
  const Range whole{0, data.size()};
  const Range mine = share(whole, group.rank(), group.size());
  const auto own = part(data, mine);
  const auto theirs = scratch.take<T>(mine.size());
  std::vector<double> sums(own.size());
  std::ranges::transform(own, sums.begin(), [](T element) { return to_double(element); });
  for_each_partner(group, [&](int peer) {
    group.exchange(peer, std::as_bytes(part(data, share(whole, peer, group.size()))),
                   std::as_writable_bytes(theirs));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += to_double(theirs[i]);
  });
  for (std::size_t i = 0; i < sums.size(); ++i) round_to(own[i], sums[i] / group.size());
  return mine;
}

template <typename T>
void gather_shares(std::span<T> data, Communicator& group) {
  const auto all = shares({0, data.size()}, group.size());
  const auto mine = part(data, all[static_cast<std::size_t>(group.rank())]);
  const std::vector<std::span<const std::byte>> out(all.size(), std::as_bytes(mine));
  std::vector<std::span<std::byte>> in;
  in.reserve(all.size());
  for (const Range& share : all) in.push_back(std::as_writable_bytes(part(data, share)));
  group.exchange_all(out, in);
}

template Range scatter_mean<float>(std::span<float>, Communicator&, Scratch&);
template Range scatter_mean<double>(std::span<double>, Communicator&, Scratch&);
template Range scatter_mean<Float16>(std::span<Float16>, Communicator&, Scratch&);
template Range scatter_mean<BFloat16>(std::span<BFloat16>, Communicator&, Scratch&);
template void gather_shares<float>(std::span<float>, Communicator&);
template void gather_shares<double>(std::span<double>, Communicator&);
template void gather_shares<Float16>(std::span<Float16>, Communicator&);
template void gather_shares<BFloat16>(std::span<BFloat16>, Communicator&);

}  // namespace adasum::algorithms
