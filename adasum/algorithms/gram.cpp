// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/gram.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "adasum/communicators/scalar_reduce.h"
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

namespace {

// Reduces over `across`, then over `within`. All ranks of both use the same tensor numbers.
class NestedReduce : public ScalarReduce {
 public:
  explicit NestedReduce(const GramRanks& ranks) : across_(ranks.across), within_(ranks.within) {}

  void sum(std::span<double> values) override {
    across_.sum(values);
    if (within_) within_->sum(values);
  }
  void max(std::span<double> values) override {
    across_.max(values);
    if (within_) within_->max(values);
  }

 private:
  MessageReduce across_;
  ScalarReduce* within_;
};

// Which elements each rank computes.
struct Shares {
  Shares(const Layout& layout, const GramRanks& ranks) {
    const Range held =
        ranks.spread ? share(layout.whole(), ranks.spread->rank(), ranks.spread->size()) : layout.whole();
    of_vector = shares(held, ranks.across.size());
    for (const Range& part :
         ranks.spread ? shares(layout.whole(), ranks.spread->size()) : std::vector{held}) {
      const auto some = shares(part, ranks.across.size());
      of_all.insert(of_all.end(), some.begin(), some.end());
    }
    mine = of_vector[static_cast<std::size_t>(ranks.across.rank())];
  }

  std::vector<Range> of_vector;  // of the elements that this rank holds
  std::vector<Range> of_all;
  Range mine;
};

// Sends each rank its share of `data` and receives this rank's share of every vector. Returns where each
// begins.
template <typename T>
std::vector<T*> collect(std::span<T> data, const Shares& shares, Communicator& across, Scratch& scratch) {
  const std::size_t first = shares.of_vector.front().begin;
  const auto theirs = scratch.take<T>(shares.mine.size() * static_cast<std::size_t>(across.size() - 1));
  std::vector<T*> rows;
  std::vector<std::span<const std::byte>> out;
  std::vector<std::span<std::byte>> in;
  std::size_t taken = 0;
  for (const Range& share : shares.of_vector) {
    const auto piece = data.subspan(share.begin - first, share.size());
    const bool is_own = rows.size() == static_cast<std::size_t>(across.rank());
    const auto row = is_own ? piece : theirs.subspan(shares.mine.size() * taken++, shares.mine.size());
    rows.push_back(row.data());
    out.push_back(std::as_bytes(piece));
    in.push_back(std::as_writable_bytes(row));
  }
  across.exchange_all(out, in);
  return rows;
}

}  // namespace

template <typename T>
GramResult gram(std::span<T> data, const Layout& layout, const GramRanks& ranks, const GramOptions& options,
                Scratch& scratch) {
  const Shares shares(layout, ranks);
  const std::vector<T*> rows = collect(data, shares, ranks.across, scratch);
  const TensorIndex index(layout, shares.of_all, shares.mine, options.shared);
  T* const result = rows[static_cast<std::size_t>(ranks.across.rank())];
  RowParts<T> parts;
  layout.for_each_part(shares.mine, [&](std::size_t tensor, Range elements) {
    const std::size_t skipped = elements.begin - shares.mine.begin;
    RowPart<T> row_part{index.of(tensor), elements.size(), {}, {result + skipped}};
    for (T* row : rows) row_part.rows.push_back(row + skipped);
    parts.push_back(std::move(row_part));
  });
  NestedReduce reduce(ranks);
  RowTree<T> tree(std::move(parts), {.rows = rows.size(),
                                     .group = options.group,
                                     .tensors = index.all(),
                                     .shared = index.shared(),
                                     .not_finite = options.not_finite});
  if (const auto row = tree.measure(reduce)) return {static_cast<int>(*row), {}};
  tree.combine(reduce);
  gather_shares(data, ranks.across);
  return {std::nullopt, {tree.dots().begin(), tree.dots().end()}};
}

template GramResult gram<float>(std::span<float>, const Layout&, const GramRanks&, const GramOptions&,
                                Scratch&);
template GramResult gram<double>(std::span<double>, const Layout&, const GramRanks&, const GramOptions&,
                                 Scratch&);
template GramResult gram<Float16>(std::span<Float16>, const Layout&, const GramRanks&, const GramOptions&,
                                  Scratch&);
template GramResult gram<BFloat16>(std::span<BFloat16>, const Layout&, const GramRanks&, const GramOptions&,
                                   Scratch&);

}  // namespace adasum::algorithms
