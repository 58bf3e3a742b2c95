// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/node_vectors.h"

#include <utility>

#include "adasum/types/number.h"

namespace adasum::algorithms {

template <typename T>
std::optional<Node::Views> views_in_place(Node& node, const Tensors<T>& tensors) {
  std::vector<std::span<const std::byte>> pieces;
  for (const std::span<T> tensor : tensors.list()) {
    if (!tensor.empty()) pieces.push_back(std::as_bytes(tensor));
  }
  const auto found = node.find(pieces);
  if (!found) return std::nullopt;
  Node::Views views;
  std::size_t next = 0;
  for (const std::span<T> tensor : tensors.list())
    views.push_back(tensor.empty() ? std::vector<std::byte*>() : (*found)[next++]);
  return views;
}

template std::optional<Node::Views> views_in_place(Node&, const Tensors<float>&);
template std::optional<Node::Views> views_in_place(Node&, const Tensors<double>&);
template std::optional<Node::Views> views_in_place(Node&, const Tensors<Float16>&);
template std::optional<Node::Views> views_in_place(Node&, const Tensors<BFloat16>&);

template <typename T>
std::unique_ptr<NodeVectors<T>> NodeVectors<T>::make(Node& node, const Tensors<T>& tensors, Copies copies) {
  if (auto views = copies == Copies::always ? std::nullopt : views_in_place(node, tensors))
    return std::unique_ptr<NodeVectors>(new NodeVectors(node, tensors, copies, {}, std::move(*views)));
  const std::size_t vectors = node.ranks().rank() == 0 ? 2 : 1;
  const auto window = node.allocate(vectors * tensors.size() * sizeof(T));
  if (!window) return nullptr;
  const std::span<const std::byte> piece = *window;
  auto views = node.find(std::span(&piece, 1));
  return std::unique_ptr<NodeVectors>(
      new NodeVectors(node, tensors, copies, *window, std::move(views.value())));
}

template <typename T>
NodeVectors<T>::NodeVectors(Node& node, const Tensors<T>& tensors, Copies copies, std::span<std::byte> window,
                            Node::Views views)
    : node_(node),
      tensors_(tensors),
      copies_(copies),
      window_(window),
      views_(std::move(views)),
      share_(adasum::share(tensors.layout().whole(), node.ranks().rank(), node.ranks().size())) {}

template <typename T>
NodeVectors<T>::~NodeVectors() {
  if (are_copies()) node_.free(window_.data());
}

template <typename T>
void NodeVectors<T>::copy_in() const {
  if (!are_copies()) return;
  const std::span<T> copy(reinterpret_cast<T*>(window_.data()), tensors_.size());
  if (!reads_own_tensors()) return tensors_.copy_to(copy);
  tensors_.copy_to(copy, {0, share_.begin});
  tensors_.copy_to(copy, {share_.end, tensors_.size()});
}

template <typename T>
void NodeVectors<T>::copy_out() const {
  if (are_copies()) tensors_.copy_from({result(), tensors_.size()});
}

template <typename T>
RowParts<T> NodeVectors<T>::parts(const TensorIndex& index) const {
  RowParts<T> parts;
  layout().for_each_part(share_, [&](std::size_t tensor, Range elements) {
    auto rows = rows_at(tensor, elements.begin);
    // Copies share one result. All ranks have read it before the next run writes it.
    auto outs = are_copies() ? std::vector<T*>{result() + elements.begin} : rows;
    parts.push_back({index.of(tensor), elements.size(), std::move(rows), std::move(outs)});
  });
  return parts;
}

template <typename T>
std::vector<T*> NodeVectors<T>::rows_at(std::size_t tensor, std::size_t element) const {
  const std::size_t skipped = element - (are_copies() ? 0 : layout().tensor(tensor).begin);
  std::vector<T*> rows;
  for (std::byte* view : views_[are_copies() ? 0 : tensor])
    rows.push_back(reinterpret_cast<T*>(view) + skipped);
  if (reads_own_tensors()) {
    const std::size_t within = element - layout().tensor(tensor).begin;
    rows[static_cast<std::size_t>(node_.ranks().rank())] = tensors_.list()[tensor].data() + within;
  }
  return rows;
}

template class NodeVectors<float>;
template class NodeVectors<double>;
template class NodeVectors<Float16>;
template class NodeVectors<BFloat16>;

}  // namespace adasum::algorithms
