// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/allreduce_op.h"

#include <cstddef>
#include <utility>

#include "adasum/algorithms/node_vectors.h"
#include "adasum/algorithms/row_tree.h"
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

}  // namespace adasum::algorithms
