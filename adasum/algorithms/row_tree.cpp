// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/row_tree.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <list>
#include <type_traits>
#include <vector>

#include "adasum/algorithms/tree_coefficients.h"
#include "adasum/kernels/arrays.h"
#include "adasum/kernels/rows.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {
namespace {

// The smaller a node's squared norm is relative to the terms of its sum, the more digits it has lost; what
// remains must be enough for T.
template <typename T>
double least_norm(std::size_t nodes) {
  if (std::is_same_v<T, double>) return 1e-3;
  return nodes > kernels::rows_in_double ? 0.125 : 1e-9;
}

// Between these bounds a sum of squares of doubles keeps all its digits. Squares of the other types never
// come near them.
constexpr double smallest_square = 1e-200;
constexpr double largest_square = 1e200;

enum class To { row, outs };

// Parts of some tensors, with copies of their rows: other ranks may still read the originals.
template <typename T>
class RowCopies {
 public:
  RowCopies(const RowParts<T>& parts, std::span<const char> wanted) {
    for (const RowPart<T>& part : parts) {
      if (wanted[part.tensor] == 0) continue;
      originals_.push_back(&part);
      parts_.push_back(part);
      for (T*& row : parts_.back().rows) row = rows_.emplace_back(row, row + part.size).data();
    }
  }

  RowParts<T>& parts() { return parts_; }

  // Copies row `row` of each part to the same row of the original, or to its outs.
  void write_back(std::size_t row, To to) const {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const RowPart<T>& original = *originals_[i];
      const std::vector<T*> outs = to == To::outs ? original.outs : std::vector{original.rows[row]};
      for (T* out : outs) std::copy_n(parts_[i].rows[row], original.size, out);
    }
  }

 private:
  std::vector<const RowPart<T>*> originals_;
  RowParts<T> parts_;
  std::list<std::vector<T>> rows_;
};

// One step up the tree: groups of up to fan_in nodes that are combined together, and their Gram matrices.
template <typename T>
class TreeStage {
 public:
  // `stride`: rows between one node and the next; a node is stored in the first row that it covers. `gram`
  // receives the dot products; gram[0] counts the ranks that found one of their own tensors not finite.
  TreeStage(RowParts<T>& parts, const RowTreeOptions& options, std::size_t stride, std::vector<double>& gram)
      : parts_(parts), options_(options), stride_(stride), gram_(gram) {
    for (std::size_t begin = 0; begin < options.rows; begin += stride * options.fan_in) {
      Group group{.rows = {begin, std::min(begin + stride * options.fan_in, options.rows)}};
      group.nodes = (group.rows.size() + stride - 1) / stride;
      group.first_pair = pairs_;
      pairs_ += kernels::pairs_of(group.nodes);
      groups_.push_back(group);
    }
    gram_.resize(1 + pairs_ * options.tensors);
  }

  bool last() const { return groups_.size() == 1; }

  void multiply() {
    std::ranges::fill(gram_, 0.0);
    std::array<double, kernels::pairs_of(kernels::max_rows)> sums;
    for (const RowPart<T>& part : parts_) {
      for (const Group& group : groups_) {
        const auto all = gram(part.tensor, group);
        kernels::gram<T>(nodes_of(part, group), part.size, std::span(sums).first(all.size()));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] += sums[i];
      }
    }
    if (!has_finite_squares(options_.shared, options_.tensors)) gram_[0] = 1;
  }

  void sum(ScalarReduce& reduce) { reduce.sum(std::span(gram_).first(1 + pairs_ * options_.shared)); }

  bool has_finite_squares() const { return gram_[0] == 0 && has_finite_squares(0, options_.shared); }

  void combine(ScalarReduce& reduce) {
    for (const Group& group : groups_) combine(group, reduce);
  }

 private:
  struct Group {
    Range rows;
    std::size_t nodes = 0;
    std::size_t first_pair = 0;
  };

  // The part of each node of a group; valid until the next call.
  std::span<const T* const> nodes_of(const RowPart<T>& part, const Group& group) {
    std::size_t size = 0;
    for (std::size_t row = group.rows.begin; row < group.rows.end; row += stride_)
      nodes_[size++] = part.rows[row];
    return std::span(nodes_).first(size);
  }

  std::span<double> gram(std::size_t tensor, const Group& group) {
    return std::span(gram_).subspan(1 + tensor * pairs_ + group.first_pair, kernels::pairs_of(group.nodes));
  }
  double square(std::size_t tensor, const Group& group, std::size_t node) const {
    return gram_[1 + tensor * pairs_ + group.first_pair + kernels::pair_index(node, node, group.nodes)];
  }

  bool has_finite_squares(std::size_t first_tensor, std::size_t last_tensor) const {
    for (std::size_t tensor = first_tensor; tensor < last_tensor; ++tensor) {
      for (const Group& group : groups_) {
        for (std::size_t i = 0; i < group.nodes; ++i) {
          if (!std::isfinite(square(tensor, group, i))) return false;
        }
      }
    }
    return true;
  }

  // Whether vectors are of double and their squares may have left the range of double.
  bool extreme(std::size_t tensor, const Group& group) const {
    if (!std::is_same_v<T, double>) return false;
    for (std::size_t i = 0; i < group.nodes; ++i) {
      const double value = square(tensor, group, i);
      if (!(value >= smallest_square && value <= largest_square)) return true;
    }
    return false;
  }

  void combine(const Group& group, ScalarReduce& reduce) {
    std::vector<double> coefficients(options_.tensors * group.nodes);
    std::vector<char> doubtful(options_.tensors);
    for (std::size_t tensor = 0; tensor < options_.tensors; ++tensor) {
      const auto own = std::span(coefficients).subspan(tensor * group.nodes, group.nodes);
      const bool trusted = tree_coefficients(gram(tensor, group), least_norm<T>(group.nodes), own);
      doubtful[tensor] = extreme(tensor, group) || !trusted ? 1 : 0;
    }
    for (const RowPart<T>& part : parts_) {
      if (doubtful[part.tensor] != 0) continue;
      const auto own = std::span(coefficients).subspan(part.tensor * group.nodes, group.nodes);
      T* const first = part.rows[group.rows.begin];
      kernels::mix<T>(nodes_of(part, group), own, part.size, last() ? part.outs : std::span(&first, 1));
    }
    combine_doubtful(group, doubtful, reduce);
  }

  // First the tensors that ranks share, collectively; then this rank's own, locally.
  void combine_doubtful(const Group& group, const std::vector<char>& doubtful, ScalarReduce& reduce) {
    const auto is_any = [](std::span<const char> some) { return std::ranges::find(some, 1) != some.end(); };
    if (!is_any(doubtful)) return;
    const StridedRows nodes{group.rows, stride_};
    const auto shared = std::span(doubtful).first(options_.shared);
    RowCopies copies(parts_, doubtful);
    if (is_any(shared)) combine_pairwise<T>(copies.parts(), nodes, shared, reduce);
    std::vector<char> own = doubtful;
    std::fill_n(own.begin(), shared.size(), char{0});
    LocalReduce local;
    combine_pairwise<T>(copies.parts(), nodes, own, local);
    copies.write_back(group.rows.begin, last() ? To::outs : To::row);
  }

  RowParts<T>& parts_;
  const RowTreeOptions& options_;
  std::size_t stride_;
  std::vector<Group> groups_;
  std::size_t pairs_ = 0;
  std::vector<double>& gram_;  // gram_[0], then tensors x pairs of all groups
  std::array<const T*, kernels::max_rows> nodes_;
};

// Writes the mean of each group to its first row.
template <typename T>
void take_means(RowParts<T>& parts, const RowTreeOptions& options) {
  const std::vector<double> coefficients(options.group, 1.0 / static_cast<double>(options.group));
  for (RowPart<T>& part : parts) {
    for (std::size_t begin = 0; begin < options.rows; begin += options.group) {
      const std::vector<const T*> members(
          part.rows.begin() + static_cast<std::ptrdiff_t>(begin),
          part.rows.begin() + static_cast<std::ptrdiff_t>(begin + options.group));
      kernels::mix<T>(members, coefficients, part.size, std::span(&part.rows[begin], 1));
    }
  }
}

// Squares that are not finite may come from large finite doubles, so this tests the elements.
template <typename T>
std::optional<std::size_t> first_not_finite(const RowParts<T>& parts, std::size_t rows,
                                            ScalarReduce& reduce) {
  std::vector<double> found(rows);
  for (const RowPart<T>& part : parts) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (!kernels::is_finite<T>({part.rows[row], part.size})) found[row] = 1;
    }
  }
  reduce.max(found);
  const auto first = std::ranges::find(found, 1.0);
  if (first == found.end()) return std::nullopt;
  return static_cast<std::size_t>(first - found.begin());
}

}  // namespace

template <typename T>
std::optional<std::size_t> RowTree<T>::measure(ScalarReduce& reduce) {
  assert(options_.fan_in >= 2 && options_.fan_in <= kernels::max_rows);
  assert(options_.rows % options_.group == 0);
  assert(options_.not_finite == NotFinite::reported || options_.group == 1);
  gram_.clear();
  if (options_.group > 1) return first_not_finite(parts_, options_.rows, reduce);
  TreeStage<T> stage(parts_, options_, 1, gram_);
  stage.multiply();
  stage.sum(reduce);
  if (options_.not_finite == NotFinite::combined || stage.has_finite_squares()) return std::nullopt;
  const auto row = first_not_finite(parts_, options_.rows, reduce);
  if (row) gram_.clear();
  return row;
}

template <typename T>
void RowTree<T>::combine(ScalarReduce& reduce) {
  if (options_.group > 1) take_means(parts_, options_);
  std::size_t stride = options_.group;
  do {
    TreeStage<T> stage(parts_, options_, stride, gram_);
    if (stride > 1) {
      stage.multiply();
      stage.sum(reduce);
    }
    stage.combine(reduce);
    stride *= options_.fan_in;
  } while (stride < options_.rows);
}

template <typename T>
std::span<const double> RowTree<T>::dots() const {
  if (gram_.empty() || options_.rows > options_.group * options_.fan_in) return {};
  return std::span(gram_).subspan(1);
}

template class RowTree<float>;
template class RowTree<double>;
template class RowTree<Float16>;
template class RowTree<BFloat16>;

}  // namespace adasum::algorithms
