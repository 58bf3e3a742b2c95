// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/tree.h"

#include <array>
#include <cstddef>
#include <vector>

#include "adasum/combine.h"
#include "adasum/kernels/rows.h"
#include "adasum/number.h"

namespace adasum::algorithms {
namespace {

// One level of the tree as this rank sees it: it holds half of the elements that it and its partner had.
struct Level {
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
std::vector<double> partial_dots(const Held<T>& own, std::span<const T> other, const Level& level,
                                 const Layout& layout) {
  std::vector<double> scalars(3 * layout.tensors());
  const std::size_t shift = level.kept().begin;
  layout.for_each_part(level.kept(), [&](std::size_t tensor, Range elements) {
    const std::span<const T> mine = own.part(elements);
    const auto theirs = other.subspan(elements.begin - shift, elements.size());
    const std::array<const T*, 2> pair = {level.upper ? theirs.data() : mine.data(),
                                          level.upper ? mine.data() : theirs.data()};
    kernels::gram<T>(pair, elements.size(), std::span(scalars).subspan(3 * tensor, 3));
  });
  return scalars;
}

// Sums over every rank that holds a piece of the pair. In each exchange both sides add the same two numbers,
// so all end with the same bits, and take the same coefficients.
void sum_over_pair(std::vector<double>& scalars, const Level& level, const TreePeers& peers) {
  if (peers.within) peers.within->sum(scalars);
  std::vector<double> theirs(scalars.size());
  for (int distance = 1; distance <= level.distance; distance *= 2) {
    peers.across.exchange(peers.across.rank() ^ distance, std::as_bytes(std::span(scalars)),
                          std::as_writable_bytes(std::span(theirs)));
    for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] += theirs[i];
  }
}

template <typename T>
void combine_level(const Held<T>& held, const Level& level, const Layout& layout, const TreePeers& peers,
                   Scratch& scratch) {
  const auto theirs = scratch.take<T>(level.kept().size());
  peers.across.exchange(peers.across.rank() ^ level.distance, std::as_bytes(held.part(level.given())),
                        std::as_writable_bytes(theirs));
  auto scalars = partial_dots<T>(held, theirs, level, layout);
  sum_over_pair(scalars, level, peers);
  const std::size_t shift = level.kept().begin;
  layout.for_each_part(level.kept(), [&](std::size_t tensor, Range elements) {
    const double* dots = &scalars[3 * tensor];
    const auto [a, b] = coefficients({.ab = dots[1], .aa = dots[0], .bb = dots[2]});
    T* mine = held.part(elements).data();
    const std::array<const T*, 2> pair = {mine, theirs.data() + (elements.begin - shift)};
    const std::array<double, 2> factors = {level.upper ? b : a, level.upper ? a : b};
    kernels::mix<T>(pair, factors, elements.size(), std::span(&mine, 1));
  });
}

}  // namespace

template <typename T>
void tree(std::span<T> data, Range mine, const Layout& layout, const TreePeers& peers, Scratch& scratch) {
  const Held<T> held{data, mine};
  std::vector<Level> levels;
  for (int distance = 1; distance < peers.across.size(); distance *= 2) {
    levels.push_back({distance, mine, (peers.across.rank() & distance) != 0});
    combine_level(held, levels.back(), layout, peers, scratch);
    mine = levels.back().kept();
  }
  for (; !levels.empty(); levels.pop_back()) {
    const Level& level = levels.back();
    peers.across.exchange(peers.across.rank() ^ level.distance, std::as_bytes(held.part(level.kept())),
                          std::as_writable_bytes(held.part(level.given())));
  }
}

template void tree<float>(std::span<float>, Range, const Layout&, const TreePeers&, Scratch&);
template void tree<double>(std::span<double>, Range, const Layout&, const TreePeers&, Scratch&);
template void tree<Float16>(std::span<Float16>, Range, const Layout&, const TreePeers&, Scratch&);
template void tree<BFloat16>(std::span<BFloat16>, Range, const Layout&, const TreePeers&, Scratch&);

}  // namespace adasum::algorithms
