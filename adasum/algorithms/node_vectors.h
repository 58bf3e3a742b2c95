// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "adasum/algorithms/row_parts.h"
#include "adasum/algorithms/tensor_numbers.h"
#include "adasum/layout.h"
#include "adasum/shared/node.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// The vectors of all ranks of a node, where all of them read and write: the tensors themselves, where they are in memory
/// of Engine::allocate() on every rank, else copies. Each rank has its share() of the elements to compute.
template <typename T>
class NodeVectors {
 public:
  /// Of what copies are made. `for_others`: of tensors that are not in that memory, but for this rank's share, which it
  /// reads where it is: for rows that nobody overwrites. `where_needed`: of those tensors, whole. `always`: of all
  /// tensors, as the copies will be overwritten.
  enum class Copies { for_others, where_needed, always };

  /// Collective over the node, which must outlive it. Null, on all ranks, where there is no memory for copies.
  static std::unique_ptr<NodeVectors> make(Node& node, const Tensors<T>& tensors, Copies copies);

  ~NodeVectors();
  NodeVectors(const NodeVectors&) = delete;
  NodeVectors& operator=(const NodeVectors&) = delete;

  bool are_copies() const { return !window_.empty(); }
  const Layout& layout() const { return tensors_.layout(); }
  Range share() const { return share_; }

  /// Before all ranks meet: brings this rank's tensors to where the others read them.
  void bring() const;

  /// When all shares of the result have been written: brings it to this rank's tensors.
  void take() const;

  /// This rank's share of all vectors; `outs` are where the result is wanted. `numbers` are for shares().
  RowParts<T> parts(const TensorNumbers& numbers) const;

 private:
  NodeVectors(Node& node, const Tensors<T>& tensors, Copies copies, std::span<std::byte> window, Node::Views views);

  T* result() const { return reinterpret_cast<T*>(views_[0][0]) + tensors_.size(); }  // of copies, behind the first's
  std::vector<T*> rows_at(std::size_t tensor, std::size_t element) const;
  bool reads_own_tensors() const { return are_copies() && copies_ == Copies::for_others; }

  Node& node_;
  Tensors<T> tensors_;
  Copies copies_;
  std::span<std::byte> window_;  // for a copy of this rank's vector, and on the first rank for the result
  Node::Views views_;            // [tensor][rank], or [0][rank] with copies
  Range share_;
};

extern template class NodeVectors<float>;
extern template class NodeVectors<double>;
extern template class NodeVectors<Float16>;
extern template class NodeVectors<BFloat16>;

}  // namespace adasum::algorithms
