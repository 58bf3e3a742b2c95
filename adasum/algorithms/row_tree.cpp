// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/row_tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "adasum/algorithms/careful_pairs.h"
#include "adasum/kernels/finite.h"
#include "adasum/kernels/rows.h"
#include "adasum/layout.h"
#include "adasum/tree_coefficients.h"

namespace adasum::algorithms {
namespace {

// A node's squared norm has lost as many digits as it is smaller than its terms; what is left must do for T.
template <typename T>
constexpr double least_norm = std::is_same_v<T, double> ? 1e-3 : 1e-9;

// Between these a sum of squares of doubles has all its digits. The other types never come near.
constexpr double smallest_square = 1e-200;
constexpr double largest_square = 1e200;

// One step up the tree: nodes that become one, and the dot products of each two of them.
template <typename T>
class Stage {
 public:
  // `stride`: rows between one node and the next; nodes stand in the first row that they cover. `gram`: where the dot
  // products are, or will be.
  Stage(RowParts<T>& parts, const RowTreeOptions& options, std::size_t stride, std::vector<double>& gram)
      : parts_(parts), options_(options), stride_(stride), gram_(gram) {
    for (std::size_t begin = 0; begin < options.rows; begin += stride * options.fan_in) {
      Group group{.rows = {begin, std::min(begin + stride * options.fan_in, options.rows)}};
      group.nodes = (group.rows.size() + stride - 1) / stride;
      group.first_pair = pairs_;
      pairs_ += kernels::pairs_of(group.nodes);
      groups_.push_back(group);
    }
    gram_.resize(pairs_ * options.tensors);
  }

  bool last() const { return groups_.size() == 1; }

  void multiply() {
    std::ranges::fill(gram_, 0.0);
    for (const RowPart<T>& part : parts_) {
      for (const Group& group : groups_) {
        const auto nodes = nodes_of(part, group);
        std::vector<double> sums(kernels::pairs_of(group.nodes));
        kernels::gram<T>(nodes, part.size, sums);
        const auto all = gram(part.tensor, group);
        for (std::size_t i = 0; i < sums.size(); ++i) all[i] += sums[i];
      }
    }
  }

  void sum(Scalars& scalars) { scalars.sum(gram_); }

  bool has_finite_squares() const {
    for (const Group& group : groups_) {
      for (std::size_t tensor = 0; tensor < options_.tensors; ++tensor) {
        for (std::size_t i = 0; i < group.nodes; ++i) {
          if (!std::isfinite(square(tensor, group, i))) return false;
        }
      }
    }
    return true;
  }

  void combine(Scalars& scalars) {
    for (const Group& group : groups_) combine(group, scalars);
  }

 private:
  struct Group {
    Range rows;
    std::size_t nodes = 0;
    std::size_t first_pair = 0;
  };

  std::span<double> gram(std::size_t tensor, const Group& group) {
    return std::span(gram_).subspan(tensor * pairs_ + group.first_pair, kernels::pairs_of(group.nodes));
  }
  double square(std::size_t tensor, const Group& group, std::size_t node) const {
    return gram_[tensor * pairs_ + group.first_pair + kernels::pair_index(node, node, group.nodes)];
  }

  std::vector<const T*> nodes_of(const RowPart<T>& part, const Group& group) const {
    std::vector<const T*> nodes;
    for (std::size_t row = group.rows.begin; row < group.rows.end; row += stride_) nodes.push_back(part.rows[row]);
    return nodes;
  }

  // Vectors of double whose squares may have left its range.
  bool extreme(std::size_t tensor, const Group& group) const {
    if (!std::is_same_v<T, double>) return false;
    for (std::size_t i = 0; i < group.nodes; ++i) {
      const double value = square(tensor, group, i);
      if (!(value >= smallest_square && value <= largest_square)) return true;
    }
    return false;
  }

  void combine(const Group& group, Scalars& scalars) {
    std::vector<double> coefficients(options_.tensors * group.nodes);
    std::vector<char> doubtful(options_.tensors);
    for (std::size_t tensor = 0; tensor < options_.tensors; ++tensor) {
      const auto own = std::span(coefficients).subspan(tensor * group.nodes, group.nodes);
      const bool trusted = tree_coefficients(gram(tensor, group), least_norm<T>, own);
      doubtful[tensor] = extreme(tensor, group) || !trusted ? 1 : 0;
    }
    for (const RowPart<T>& part : parts_) {
      if (doubtful[part.tensor] != 0) continue;
      const auto own = std::span(coefficients).subspan(part.tensor * group.nodes, group.nodes);
      kernels::mix<T>(nodes_of(part, group), own, part.size, destinations(part, group));
    }
    if (std::ranges::find(doubtful, 1) == doubtful.end()) return;
    careful_pairs<T>(parts_, {group.rows, stride_}, doubtful, scalars);
    if (last()) hand_out(doubtful);
  }

  std::vector<T*> destinations(const RowPart<T>& part, const Group& group) const {
    return last() ? part.outs : std::vector<T*>{part.rows[group.rows.begin]};
  }

  void hand_out(const std::vector<char>& tensors) const {
    for (const RowPart<T>& part : parts_) {
      if (tensors[part.tensor] == 0) continue;
      for (T* out : part.outs) {
        if (out != part.rows[0]) std::memcpy(out, part.rows[0], part.size * sizeof(T));
      }
    }
  }

  RowParts<T>& parts_;
  const RowTreeOptions& options_;
  std::size_t stride_;
  std::vector<Group> groups_;
  std::size_t pairs_ = 0;
  std::vector<double>& gram_;  // tensors x pairs of all groups
};

// The mean of each group, into its first row.
template <typename T>
void take_means(RowParts<T>& parts, const RowTreeOptions& options) {
  const std::vector<double> coefficients(options.group, 1.0 / static_cast<double>(options.group));
  for (RowPart<T>& part : parts) {
    for (std::size_t begin = 0; begin < options.rows; begin += options.group) {
      const std::vector<const T*> members(part.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                          part.rows.begin() + static_cast<std::ptrdiff_t>(begin + options.group));
      kernels::mix<T>(members, coefficients, part.size, std::span(&part.rows[begin], 1));
    }
  }
}

// Squares that are not finite may be those of large doubles, so the elements have the last word.
template <typename T>
std::optional<std::size_t> first_not_finite(const RowParts<T>& parts, std::size_t rows, Scalars& scalars) {
  std::vector<double> found(rows);
  for (const RowPart<T>& part : parts) {
    for (std::size_t row = 0; row < rows; ++row) {
      if (!kernels::is_finite<T>({part.rows[row], part.size})) found[row] = 1;
    }
  }
  scalars.max(found);
  const auto first = std::ranges::find(found, 1.0);
  if (first == found.end()) return std::nullopt;
  return static_cast<std::size_t>(first - found.begin());
}

}  // namespace

template <typename T>
std::optional<std::size_t> RowTree<T>::measure(Scalars& scalars) {
  assert(options_.fan_in >= 2 && options_.fan_in <= kernels::max_rows);
  assert(options_.rows % options_.group == 0);
  gram_.clear();
  if (options_.group > 1) return first_not_finite(parts_, options_.rows, scalars);
  Stage<T> stage(parts_, options_, 1, gram_);
  stage.multiply();
  stage.sum(scalars);
  if (stage.has_finite_squares()) return std::nullopt;
  const auto row = first_not_finite(parts_, options_.rows, scalars);
  if (row) gram_.clear();
  return row;
}

template <typename T>
void RowTree<T>::combine(Scalars& scalars) {
  if (options_.group > 1) take_means(parts_, options_);
  std::size_t stride = options_.group;
  do {
    Stage<T> stage(parts_, options_, stride, gram_);
    if (stride > 1) {
      stage.multiply();
      stage.sum(scalars);
    }
    stage.combine(scalars);
    stride *= options_.fan_in;
  } while (stride < options_.rows);
}

template <typename T>
std::span<const double> RowTree<T>::dots() const {
  if (options_.rows > options_.group * options_.fan_in) return {};
  return gram_;
}

template class RowTree<float>;
template class RowTree<double>;
template class RowTree<Float16>;
template class RowTree<BFloat16>;

}  // namespace adasum::algorithms
