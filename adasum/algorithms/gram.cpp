// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/gram.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "adasum/algorithms/group_mean.h"
#include "adasum/algorithms/meet_peers.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/number.h"
#include "adasum/peer_scalars.h"

namespace adasum::algorithms {

template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, int group_size, Peers& peers, Scratch& scratch) {
  const Range whole{0, data.size()};
  const Range mine = share(whole, peers.rank(), peers.size());
  const auto theirs = scratch.take<T>(mine.size() * static_cast<std::size_t>(peers.size() - 1));
  std::vector<T*> rows(static_cast<std::size_t>(peers.size()));
  rows[static_cast<std::size_t>(peers.rank())] = part(data, mine).data();
  std::size_t taken = 0;
  meet_peers(peers, [&](int peer) {
    const auto row = theirs.subspan(mine.size() * taken++, mine.size());
    peers.exchange(peer, std::as_bytes(part(data, share(whole, peer, peers.size()))), std::as_writable_bytes(row));
    rows[static_cast<std::size_t>(peer)] = row.data();
  });
  RowParts<T> parts;
  layout.for_each_part(mine, [&](std::size_t tensor, Range elements) {
    RowPart<T> row_part{tensor, elements.size(), {}, {data.data() + elements.begin}};
    for (T* row : rows) row_part.rows.push_back(row + (elements.begin - mine.begin));
    parts.push_back(std::move(row_part));
  });
  PeerScalars scalars(peers);
  const RowTreeOptions options{.rows = rows.size(), .group = static_cast<std::size_t>(group_size), .tensors = layout.tensors()};
  RowTree<T> tree(std::move(parts), options);
  if (const auto row = tree.measure(scalars)) return {static_cast<int>(*row), {}};
  tree.combine(scalars);
  gather_shares(data, peers);
  return {std::nullopt, {tree.dots().begin(), tree.dots().end()}};
}

template GramResult gram<float>(std::span<float>, const Layout&, int, Peers&, Scratch&);
template GramResult gram<double>(std::span<double>, const Layout&, int, Peers&, Scratch&);
template GramResult gram<Float16>(std::span<Float16>, const Layout&, int, Peers&, Scratch&);
template GramResult gram<BFloat16>(std::span<BFloat16>, const Layout&, int, Peers&, Scratch&);

}  // namespace adasum::algorithms
