// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tree.h"

#include <array>
#include <cstddef>
#include <vector>

#include "adasum/algorithms/tree_coefficients.h"
#include "adasum/kernels/rows.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

// One level of the tree for this rank: it keeps half of the elements that it and its partner held.
struct Halving {
  int distance = 1;
  Range before;
  bool upper = false;  // holds b of the pair (a, b), and keeps the upper half

  Range kept() const { return share(before, upper ? 1 : 0, 2); }
  Range given() const { return share(before, upper ? 0 : 1, 2); }
};

// The elements that a rank holds of its leaf.
template <typename T>
struct Held {
  std::span<T> data;
  Range range;

  std::span<T> part(Range of) const { return data.subspan(of.begin - range.begin, of.size()); }
};

// Per tensor a.a, a.b and b.b, over the elements that this rank keeps: 3 doubles per tensor.
template <typename T>
std::vector<double> partial_dots(const Held<T>& own, std::span<const T> other, const Halving& level,
                                 const Layout& layout) {
  std::vector<double> dots(3 * layout.tensors());
  const std::size_t shift = level.kept().begin;
  layout.for_each_part(level.kept(), [&](std::size_t tensor, Range elements) {
    const std::span<const T> mine = own.part(elements);
    const auto theirs = other.subspan(elements.begin - shift, elements.size());
    const std::array<const T*, 2> pair = {level.upper ? theirs.data() : mine.data(),
                                          level.upper ? mine.data() : theirs.data()};
    kernels::gram<T>(pair, elements.size(), std::span(dots).subspan(3 * tensor, 3));
  });
  return dots;
}

// Recursive doubling over every rank that holds a part of the pair. In each exchange both sides add the same
// two numbers, so all ranks get the same bits and the same coefficients.
void sum_over_pair(std::vector<double>& dots, const Halving& level, const TreeRanks& ranks) {
  if (ranks.within) ranks.within->sum(dots);
  std::vector<double> theirs(dots.size());
  for (int distance = 1; distance <= level.distance; distance *= 2) {
    ranks.across.exchange(ranks.across.rank() ^ distance, std::as_bytes(std::span(dots)),
                          std::as_writable_bytes(std::span(theirs)));
    for (std::size_t i = 0; i < dots.size(); ++i) dots[i] += theirs[i];
  }
}

template <typename T>
void combine_level(const Held<T>& held, const Halving& level, const Layout& layout, const TreeRanks& ranks,
                   Scratch& scratch) {
  const auto theirs = scratch.take<T>(level.kept().size());
  ranks.across.exchange(ranks.across.rank() ^ level.distance, std::as_bytes(held.part(level.given())),
                        std::as_writable_bytes(theirs));
  auto dots = partial_dots<T>(held, theirs, level, layout);
  sum_over_pair(dots, level, ranks);
  const std::size_t shift = level.kept().begin;
  layout.for_each_part(level.kept(), [&](std::size_t tensor, Range elements) {
    const double* own = &dots[3 * tensor];
    const auto [a, b] = pair_coefficients({.ab = own[1], .aa = own[0], .bb = own[2]});
    T* mine = held.part(elements).data();
    const std::array<const T*, 2> pair = {mine, theirs.data() + (elements.begin - shift)};
    const std::array<double, 2> factors = {level.upper ? b : a, level.upper ? a : b};
    kernels::mix<T>(pair, factors, elements.size(), std::span(&mine, 1));
  });
}

}  // namespace

template <typename T>
void tree(std::span<T> data, Range mine, const Layout& layout, const TreeRanks& ranks, Scratch& scratch) {
  const Held<T> held{data, mine};
  std::vector<Halving> levels;
  for (int distance = 1; distance < ranks.across.size(); distance *= 2) {
    levels.push_back({distance, mine, (ranks.across.rank() & distance) != 0});
    combine_level(held, levels.back(), layout, ranks, scratch);
    mine = levels.back().kept();
  }
  for (; !levels.empty(); levels.pop_back()) {
    const Halving& level = levels.back();
    ranks.across.exchange(ranks.across.rank() ^ level.distance, std::as_bytes(held.part(level.kept())),
                          std::as_writable_bytes(held.part(level.given())));
  }
}

template void tree<float>(std::span<float>, Range, const Layout&, const TreeRanks&, Scratch&);
template void tree<double>(std::span<double>, Range, const Layout&, const TreeRanks&, Scratch&);
template void tree<Float16>(std::span<Float16>, Range, const Layout&, const TreeRanks&, Scratch&);
template void tree<BFloat16>(std::span<BFloat16>, Range, const Layout&, const TreeRanks&, Scratch&);

}  // namespace adasum::algorithms
