// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/nodes_course.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/gram.h"
#include "adasum/algorithms/node_vectors.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/tree.h"
#include "adasum/kernels/rows.h"
#include "adasum/number.h"
#include "adasum/peer_scalars.h"
#include "adasum/scratch.h"
#include "adasum/shared/node.h"

namespace adasum::algorithms {
namespace {

bool is_power_of_two(int number) { return std::has_single_bit(static_cast<unsigned>(number)); }

bool by_gram(Node& node) { return static_cast<std::size_t>(node.across()->size()) <= kernels::max_rows; }

// Whether a node holds whole subtrees, so that AdaSum within nodes and then between them is that over all.
bool fits(const Options& options, Node& node) {
  const int ranks = node.ranks().size();
  return ranks % options.group_size == 0 && is_power_of_two(ranks / options.group_size) &&
         (by_gram(node) || is_power_of_two(node.across()->size()));
}

bool overwrites_rows(Engine& engine) {
  return algorithms::overwrites_rows(static_cast<std::size_t>(engine.node()->ranks().size()),
                                     static_cast<std::size_t>(engine.options().group_size));
}

template <typename T>
typename NodeVectors<T>::Copies copies_for(Engine& engine, Results results) {
  using Copies = typename NodeVectors<T>::Copies;
  if (!overwrites_rows(engine)) return Copies::for_others;
  return results == Results::in_place ? Copies::where_needed : Copies::always;
}

template <typename T>
class NodesCourse : public Course {
 public:
  NodesCourse(Engine& engine, std::unique_ptr<NodeVectors<T>> vectors)
      : engine_(engine),
        node_(*engine.node()),
        vectors_(std::move(vectors)),
        numbers_(vectors_->layout(), shares(vectors_->layout().whole(), node_.ranks().size()), vectors_->share(),
                 TensorNumbers::Shared::where_they_are),
        share_(vectors_->share().size()),
        wanted_(vectors_->parts(numbers_)),
        rows_(parts_to_share(), {.rows = static_cast<std::size_t>(node_.ranks().size()),
                                 .group = static_cast<std::size_t>(engine.options().group_size),
                                 .tensors = numbers_.all(),
                                 .shared = numbers_.shared()}) {}

  std::optional<int> combine() override {
    vectors_->bring();
    node_.board().wait_for_all();  // all are here, with what they bring
    const auto row = rows_.measure(node_.board());
    if (overwrites_rows(engine_) || !by_gram(node_)) {
      if (const auto rank = lowest_of_world(row)) return rank;  // tensors are what they were until all are known
    }
    if (row) {
      spoil_share();
    } else {
      rows_.combine(node_.board());
    }
    if (const auto rank = go_on_between_nodes(row)) return rank;
    if (vectors_->are_copies()) write();
    return std::nullopt;
  }

  void commit() override {
    if (vectors_->are_copies()) return vectors_->take();
    write();
  }

 private:
  // The same parts, with the result wanted in share_.
  RowParts<T> parts_to_share() {
    RowParts<T> parts = wanted_;
    T* next = share_.data();
    for (RowPart<T>& part : parts) {
      part.outs = {next};
      next += part.size;
    }
    return parts;
  }

  // Tells the other nodes, with what they are sent anyway.
  void spoil_share() {
    for (T& element : share_) round_to(element, std::numeric_limits<double>::quiet_NaN());
  }

  // What each node has found, in ranks of the world; their order is that of the nodes.
  std::optional<int> lowest_of_world(std::optional<std::size_t> row) {
    const int first = engine_.world().rank() - node_.ranks().rank();
    const int mine = row ? first + static_cast<int>(*row) : engine_.world().size();
    std::vector<int> all(static_cast<std::size_t>(node_.across()->size()));
    node_.across()->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    const int lowest = *std::ranges::min_element(all);
    return lowest < engine_.world().size() ? std::optional(lowest) : std::nullopt;
  }

  std::optional<int> go_on_between_nodes(std::optional<std::size_t> row) {
    if (!by_gram(node_)) {
      tree<T>(share_, vectors_->share(), vectors_->layout(), {.across = *node_.across(), .within = &node_.board()}, scratch_);
      return std::nullopt;
    }
    const GramPeers peers{.across = *node_.across(), .spread = &node_.ranks(), .within = &node_.board()};
    const auto found = gram<T>(share_, vectors_->layout(), peers, {}, scratch_);
    if (!found.not_finite) return std::nullopt;
    // Or all ranks were finite, and the result of a node is too long for T.
    return lowest_of_world(row).value_or(*found.not_finite * node_.ranks().size());
  }

  void write() {
    const T* next = share_.data();
    for (const RowPart<T>& part : wanted_) {
      for (T* out : part.outs) std::copy_n(next, part.size, out);
      next += part.size;
    }
    node_.board().wait_for_all();  // all shares are written
  }

  Engine& engine_;
  Node& node_;
  std::unique_ptr<NodeVectors<T>> vectors_;
  TensorNumbers numbers_;
  std::vector<T> share_;  // this rank's, of the node's result and then of the world's
  RowParts<T> wanted_;
  RowTree<T> rows_;
  Scratch scratch_;
};

}  // namespace

template <typename T>
std::unique_ptr<Course> nodes_course(Engine& engine, const Tensors<T>& tensors, Results results) {
  Node* node = engine.node();
  if (node == nullptr || node->across() == nullptr || !fits(engine.options(), *node)) return nullptr;
  auto vectors = NodeVectors<T>::make(*node, tensors, copies_for<T>(engine, results));
  double has_none = vectors ? 0 : 1;
  PeerScalars(engine.world()).max(std::span(&has_none, 1));
  if (has_none != 0) return nullptr;
  return std::make_unique<NodesCourse<T>>(engine, std::move(vectors));
}

template std::unique_ptr<Course> nodes_course<float>(Engine&, const Tensors<float>&, Results);
template std::unique_ptr<Course> nodes_course<double>(Engine&, const Tensors<double>&, Results);
template std::unique_ptr<Course> nodes_course<Float16>(Engine&, const Tensors<Float16>&, Results);
template std::unique_ptr<Course> nodes_course<BFloat16>(Engine&, const Tensors<BFloat16>&, Results);

}  // namespace adasum::algorithms
