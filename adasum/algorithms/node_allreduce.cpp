// SPDX-License-Identifier: Apache-2.0
// AdaSum in shared memory: shared_memory_allreduce() on one node, hierarchical_allreduce() on several.
#include "adasum/algorithms/allreduce_op.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/gram.h"
#include "adasum/algorithms/node_vectors.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/scratch.h"
#include "adasum/algorithms/tree.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/kernels/rows.h"
#include "adasum/shared_memory/node.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

template <typename T>
class SharedMemoryAllreduce : public AllreduceOp {
 public:
  SharedMemoryAllreduce(Topology& topology, std::unique_ptr<NodeVectors<T>> vectors)
      : shared_reduce_(topology.node_to_combine_in()->shared_reduce()),
        vectors_(std::move(vectors)),
        diagnostics_(topology.options().diagnostics),
        index_(vectors_->layout(), shares(vectors_->layout().whole(), topology.world().size()),
               vectors_->share(),
               diagnostics_ ? TensorIndex::Shared::all_tensors : TensorIndex::Shared::split_tensors),
        rows_(vectors_->parts(index_), {.rows = static_cast<std::size_t>(topology.world().size()),
                                        .group = static_cast<std::size_t>(topology.options().group_size),
                                        .tensors = index_.all(),
                                        .shared = index_.shared()}) {}

  std::optional<int> combine() override {
    vectors_->copy_in();
    shared_reduce_.barrier();  // all vectors are in place
    if (const auto row = rows_.measure(shared_reduce_)) return static_cast<int>(*row);
    if (vectors_->are_copies()) write();
    return std::nullopt;
  }

  void commit() override {
    if (vectors_->are_copies()) return vectors_->copy_out();
    write();
  }

  std::span<const double> dots() const override {
    return diagnostics_ ? rows_.dots() : std::span<const double>();
  }

 private:
  void write() {
    rows_.combine(shared_reduce_);
    shared_reduce_.barrier();  // all shares are written
  }

  SharedReduce& shared_reduce_;
  std::unique_ptr<NodeVectors<T>> vectors_;
  bool diagnostics_;
  TensorIndex index_;
  RowTree<T> rows_;
};

}  // namespace

template <typename T>
std::unique_ptr<AllreduceOp> shared_memory_allreduce(Topology& topology, const Tensors<T>& tensors) {
  Node* node = topology.node_to_combine_in();
  if (node == nullptr || node->across() != nullptr) return nullptr;
  using Copies = typename NodeVectors<T>::Copies;
  const bool overwrites = overwrites_rows(static_cast<std::size_t>(topology.world().size()),
                                          static_cast<std::size_t>(topology.options().group_size));
  auto vectors = NodeVectors<T>::make(*node, tensors, overwrites ? Copies::where_needed : Copies::for_others);
  if (!vectors) return nullptr;
  return std::make_unique<SharedMemoryAllreduce<T>>(topology, std::move(vectors));
}

template std::unique_ptr<AllreduceOp> shared_memory_allreduce<float>(Topology&, const Tensors<float>&);
template std::unique_ptr<AllreduceOp> shared_memory_allreduce<double>(Topology&, const Tensors<double>&);
template std::unique_ptr<AllreduceOp> shared_memory_allreduce<Float16>(Topology&, const Tensors<Float16>&);
template std::unique_ptr<AllreduceOp> shared_memory_allreduce<BFloat16>(Topology&, const Tensors<BFloat16>&);

namespace {

bool combines_nodes_by_gram(Node& node) {
  return static_cast<std::size_t>(node.across()->size()) <= kernels::max_rows;
}

// Whether a node holds whole subtrees, so that AdaSum within nodes, then between them, equals AdaSum over all
// ranks.
bool holds_subtrees(Node& node, const Options& options) {
  const int ranks = node.ranks().size();
  return ranks % options.group_size == 0 && is_power_of_two(ranks / options.group_size) &&
         (combines_nodes_by_gram(node) || is_power_of_two(node.across()->size()));
}

bool overwrites_rows_of_node(Topology& topology) {
  return overwrites_rows(static_cast<std::size_t>(topology.node_to_combine_in()->ranks().size()),
                         static_cast<std::size_t>(topology.options().group_size));
}

template <typename T>
typename NodeVectors<T>::Copies copies_for(Topology& topology, Results results) {
  using Copies = typename NodeVectors<T>::Copies;
  if (!overwrites_rows_of_node(topology)) return Copies::for_others;
  return results == Results::in_place ? Copies::where_needed : Copies::always;
}

template <typename T>
class HierarchicalAllreduce : public AllreduceOp {
 public:
  HierarchicalAllreduce(Topology& topology, std::unique_ptr<NodeVectors<T>> vectors)
      : topology_(topology),
        node_(*topology.node_to_combine_in()),
        vectors_(std::move(vectors)),
        index_(vectors_->layout(), shares(vectors_->layout().whole(), node_.ranks().size()),
               vectors_->share(), TensorIndex::Shared::split_tensors),
        share_(vectors_->share().size()),
        outs_(vectors_->parts(index_)),
        rows_(parts_to_share(), {.rows = static_cast<std::size_t>(node_.ranks().size()),
                                 .group = static_cast<std::size_t>(topology.options().group_size),
                                 .tensors = index_.all(),
                                 .shared = index_.shared()}) {}

  std::optional<int> combine() override {
    vectors_->copy_in();
    node_.shared_reduce().barrier();  // all vectors are in place
    const auto row = rows_.measure(node_.shared_reduce());
    if (overwrites_rows_of_node(topology_) || !combines_nodes_by_gram(node_)) {
      if (const auto rank = lowest_of_all_nodes(row))
        return rank;  // no tensor may be written before all ranks are known to be finite
    }
    if (row) {
      fill_share_with_nan();
    } else {
      rows_.combine(node_.shared_reduce());
    }
    if (const auto rank = combine_nodes(row)) return rank;
    if (vectors_->are_copies()) write();
    return std::nullopt;
  }

  void commit() override {
    if (vectors_->are_copies()) return vectors_->copy_out();
    write();
  }

 private:
  // outs_, but with the results in share_.
  RowParts<T> parts_to_share() {
    RowParts<T> parts = outs_;
    T* next = share_.data();
    for (RowPart<T>& part : parts) {
      part.outs = {next};
      next += part.size;
    }
    return parts;
  }

  // Signals a vector that is not finite to the other nodes, through the data that they receive anyway.
  void fill_share_with_nan() {
    for (T& element : share_) round_to(element, std::numeric_limits<double>::quiet_NaN());
  }

  // The lowest world rank that any node reports as not finite. Nodes are in rank order.
  std::optional<int> lowest_of_all_nodes(std::optional<std::size_t> row) {
    const int first = topology_.world().rank() - node_.ranks().rank();
    const int mine = row ? first + static_cast<int>(*row) : topology_.world().size();
    const int lowest = std::ranges::min(gather(*node_.across(), mine));
    return lowest < topology_.world().size() ? std::optional(lowest) : std::nullopt;
  }

  std::optional<int> combine_nodes(std::optional<std::size_t> row) {
    if (!combines_nodes_by_gram(node_)) {
      tree<T>(share_, vectors_->share(), vectors_->layout(),
              {.across = *node_.across(), .within = &node_.shared_reduce()}, scratch_);
      return std::nullopt;
    }
    const GramRanks ranks{
        .across = *node_.across(), .spread = &node_.ranks(), .within = &node_.shared_reduce()};
    if (!gram<T>(share_, vectors_->layout(), ranks, {}, scratch_).not_finite) return std::nullopt;
    if (const auto rank = lowest_of_all_nodes(row)) return rank;
    // All ranks are finite: the result of a node is too large for T, which is no error on one node either.
    gram<T>(share_, vectors_->layout(), ranks, {.not_finite = NotFinite::combined}, scratch_);
    return std::nullopt;
  }

  void write() {
    const T* next = share_.data();
    for (const RowPart<T>& part : outs_) {
      for (T* out : part.outs) std::copy_n(next, part.size, out);
      next += part.size;
    }
    node_.shared_reduce().barrier();  // all shares are written
  }

  Topology& topology_;
  Node& node_;
  std::unique_ptr<NodeVectors<T>> vectors_;
  TensorIndex index_;
  std::vector<T> share_;  // this rank's share of the node's result, then of the world's
  RowParts<T> outs_;
  RowTree<T> rows_;
  Scratch scratch_;
};

}  // namespace

template <typename T>
std::unique_ptr<AllreduceOp> hierarchical_allreduce(Topology& topology, const Tensors<T>& tensors,
                                                    Results results) {
  Node* node = topology.node_to_combine_in();
  if (node == nullptr || node->across() == nullptr || !holds_subtrees(*node, topology.options()))
    return nullptr;
  auto vectors = NodeVectors<T>::make(*node, tensors, copies_for<T>(topology, results));
  double has_none = vectors ? 0 : 1;
  MessageReduce(topology.world()).max(std::span(&has_none, 1));
  if (has_none != 0) return nullptr;
  return std::make_unique<HierarchicalAllreduce<T>>(topology, std::move(vectors));
}

template std::unique_ptr<AllreduceOp> hierarchical_allreduce<float>(Topology&, const Tensors<float>&,
                                                                    Results);
template std::unique_ptr<AllreduceOp> hierarchical_allreduce<double>(Topology&, const Tensors<double>&,
                                                                     Results);
template std::unique_ptr<AllreduceOp> hierarchical_allreduce<Float16>(Topology&, const Tensors<Float16>&,
                                                                      Results);
template std::unique_ptr<AllreduceOp> hierarchical_allreduce<BFloat16>(Topology&, const Tensors<BFloat16>&,
                                                                       Results);

}  // namespace adasum::algorithms
