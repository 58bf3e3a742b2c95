// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/algorithms/tensor_index.h"
#include "adasum/algorithms/tensors.h"
#include "adasum/shared_memory/node.h"
#include "adasum/types/layout.h"

namespace adasum::algorithms {

/// Where `tensors` of each rank of the node are in this process: [tensor][rank]; nothing, on all ranks,
/// unless all of them are in memory from Engine::allocate(). Collective over the node.
template <typename T>
std::optional<Node::Views> views_in_place(Node& node, const Tensors<T>& tensors);

/// The vectors of all ranks of a node, in memory that all of them read and write: the tensors themselves if
/// they are in memory from Engine::allocate() on every rank, else copies. Each rank computes its share() of
/// the elements.
template <typename T>
class NodeVectors {
 public:
  /// What is copied. `for_others`: tensors that are not in that memory, except this rank's share, which it
  /// reads in place; for rows that nobody overwrites. `where_needed`: those tensors, whole. `always`: all
  /// tensors, because the copies will be overwritten.
  enum class Copies { for_others, where_needed, always };

  /// Collective over the node, which must outlive it. Returns null, on all ranks, if there is no memory for
  /// copies.
  static std::unique_ptr<NodeVectors> make(Node& node, const Tensors<T>& tensors, Copies copies);

  ~NodeVectors();
  NodeVectors(const NodeVectors&) = delete;
  NodeVectors& operator=(const NodeVectors&) = delete;

  bool are_copies() const { return !window_.empty(); }
  const Layout& layout() const { return tensors_.layout(); }
  Range share() const { return share_; }

  /// Call before the first barrier: copies this rank's tensors to where the other ranks read them, if they
  /// are copied at all.
  void copy_in() const;

  /// Call after the last barrier, when all shares of the result are written: copies the result to this rank's
  /// tensors.
  void copy_out() const;

  /// This rank's share of all vectors. `outs` is where the result is written; `index` is that of the shares
  /// of all ranks.
  RowParts<T> parts(const TensorIndex& index) const;

 private:
  NodeVectors(Node& node, const Tensors<T>& tensors, Copies copies, std::span<std::byte> window,
              Node::Views views);

  T* result() const {
    return reinterpret_cast<T*>(views_[0][0]) + tensors_.size();
  }  // for copies, behind the first rank's vector
  std::vector<T*> rows_at(std::size_t tensor, std::size_t element) const;
  bool reads_own_tensors() const { return are_copies() && copies_ == Copies::for_others; }

  Node& node_;
  Tensors<T> tensors_;
  Copies copies_;
  std::span<std::byte> window_;  // a copy of this rank's vector, and on the first rank the result behind it
  Node::Views views_;            // [tensor][rank], or [0][rank] with copies
  Range share_;
};

extern template class NodeVectors<float>;
extern template class NodeVectors<double>;
extern template class NodeVectors<Float16>;
extern template class NodeVectors<BFloat16>;

}  // namespace adasum::algorithms
