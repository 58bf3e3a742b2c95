// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/node_course.h"

#include <cstddef>
#include <utility>

#include "adasum/algorithms/node_vectors.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/number.h"
#include "adasum/shared/node.h"

namespace adasum::algorithms {
namespace {

template <typename T>
class NodeCourse : public Course {
 public:
  NodeCourse(Engine& engine, std::unique_ptr<NodeVectors<T>> vectors)
      : board_(engine.node()->board()),
        vectors_(std::move(vectors)),
        diagnostics_(engine.options().diagnostics),
        numbers_(vectors_->layout(), shares(vectors_->layout().whole(), engine.world().size()), vectors_->share(),
                 diagnostics_ ? TensorNumbers::Shared::all : TensorNumbers::Shared::where_they_are),
        rows_(vectors_->parts(numbers_), {.rows = static_cast<std::size_t>(engine.world().size()),
                                          .group = static_cast<std::size_t>(engine.options().group_size),
                                          .tensors = numbers_.all(),
                                          .shared = numbers_.shared()}) {}

  std::optional<int> combine() override {
    vectors_->bring();
    board_.wait_for_all();  // all are here, with what they bring
    if (const auto row = rows_.measure(board_)) return static_cast<int>(*row);
    if (vectors_->are_copies()) write();
    return std::nullopt;
  }

  void commit() override {
    if (vectors_->are_copies()) return vectors_->take();
    write();
  }

  std::span<const double> dots() const override {
    return diagnostics_ ? rows_.dots() : std::span<const double>();
  }

 private:
  void write() {
    rows_.combine(board_);
    board_.wait_for_all();  // all shares are written
  }

  Board& board_;
  std::unique_ptr<NodeVectors<T>> vectors_;
  bool diagnostics_;
  TensorNumbers numbers_;
  RowTree<T> rows_;
};

}  // namespace

template <typename T>
std::unique_ptr<Course> node_course(Engine& engine, const Tensors<T>& tensors) {
  Node* node = engine.node();
  if (node == nullptr || node->across() != nullptr) return nullptr;
  using Copies = typename NodeVectors<T>::Copies;
  const bool overwrites = overwrites_rows(static_cast<std::size_t>(engine.world().size()),
                                          static_cast<std::size_t>(engine.options().group_size));
  auto vectors = NodeVectors<T>::make(*node, tensors, overwrites ? Copies::where_needed : Copies::for_others);
  if (!vectors) return nullptr;
  return std::make_unique<NodeCourse<T>>(engine, std::move(vectors));
}

template std::unique_ptr<Course> node_course<float>(Engine&, const Tensors<float>&);
template std::unique_ptr<Course> node_course<double>(Engine&, const Tensors<double>&);
template std::unique_ptr<Course> node_course<Float16>(Engine&, const Tensors<Float16>&);
template std::unique_ptr<Course> node_course<BFloat16>(Engine&, const Tensors<BFloat16>&);

}  // namespace adasum::algorithms
