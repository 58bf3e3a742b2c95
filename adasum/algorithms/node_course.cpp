// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/node_course.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/row_parts.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/tree.h"
#include "adasum/finite.h"
#include "adasum/number.h"
#include "adasum/scratch.h"
#include "adasum/shared/node.h"

namespace adasum::algorithms {
namespace {

// Whether a node holds whole subtrees, so that AdaSum within nodes and then between them is that over all.
bool fits(const Options& options, Node& node) {
  if (node.across() == nullptr) return true;
  const int ranks = node.ranks().size();
  const auto is_power_of_two = [](int number) { return std::has_single_bit(static_cast<unsigned>(number)); };
  return ranks % options.group_size == 0 && is_power_of_two(ranks / options.group_size) &&
         is_power_of_two(node.across()->size());
}

template <typename T>
class NodeCourse : public Course {
 public:
  // `window`: shared memory of this rank for a copy of all elements; empty where the tensors are in shared memory
  // themselves. `views`: where each rank has its tensors, [tensor][rank], or its window, [0][rank].
  NodeCourse(Engine& engine, Tensors<T> tensors, std::span<std::byte> window, const Node::Views& views)
      : engine_(engine), node_(*engine.node()), tensors_(std::move(tensors)), window_(window) {
    const Layout& layout = tensors_.layout();
    mine_ = share(layout.whole(), node_.ranks().rank(), node_.ranks().size());
    if (has_window()) first_window_ = reinterpret_cast<const T*>(views[0][0]);
    layout.for_each_part(mine_, [&](std::size_t tensor, Range elements) {
      RowPart<T> part{tensor, elements.size(), {}, {}};
      const std::size_t skipped = elements.begin - (has_window() ? 0 : layout.tensor(tensor).begin);
      for (std::byte* view : views[has_window() ? 0 : tensor])
        part.rows.push_back(reinterpret_cast<T*>(view) + skipped);
      part.outs = destinations(part.rows);
      parts_.push_back(std::move(part));
    });
  }

  ~NodeCourse() override {
    if (has_window()) node_.free(window_.data());
  }
  NodeCourse(const NodeCourse&) = delete;
  NodeCourse& operator=(const NodeCourse&) = delete;

  std::optional<int> run() override {
    if (node_.across()) {
      if (const auto rank = first_not_finite(tensors_.finite(), engine_.world())) return rank;
    }
    if (has_window()) copy_to_window();
    node_.board().wait_for_all();  // all are here, with what they bring
    const RowTreeOptions options{.rows = static_cast<std::size_t>(node_.ranks().size()),
                                 .group = static_cast<std::size_t>(engine_.options().group_size),
                                 .tensors = tensors_.layout().tensors()};
    if (const auto row = row_tree(parts_, options, node_.board())) return static_cast<int>(*row);
    if (node_.across()) go_on_between_nodes();
    node_.board().wait_for_all();  // all shares are written
    if (has_window()) tensors_.copy_from({first_window_, tensors_.size()});
    return std::nullopt;
  }

 private:
  bool has_window() const { return !window_.empty(); }
  std::span<T> own_window() const { return {reinterpret_cast<T*>(window_.data()), tensors_.size()}; }
  std::size_t own() const { return static_cast<std::size_t>(node_.ranks().rank()); }

  void copy_to_window() {
    if (used_) node_.board().wait_for_all();  // the others may still read the result of the last run
    used_ = true;
    tensors_.copy_to(own_window());
  }

  // Of one share. Tensors in place are wanted everywhere; of windows one is enough, as all copy it. Between
  // nodes this rank goes on with what is its own.
  std::vector<T*> destinations(const std::vector<T*>& rows) const {
    if (node_.across()) return {rows[own()]};
    return has_window() ? std::vector<T*>{rows[0]} : rows;
  }

  void go_on_between_nodes() {
    const std::span<T> data = has_window() ? own_window() : tensors_.as_one();
    tree(data, mine_, tensors_.layout(), {.across = *node_.across(), .within = &node_.ranks()}, scratch_);
    for (const RowPart<T>& part : parts_) {
      for (std::size_t row = 0; row < part.rows.size(); ++row) {
        if (row == own() || (has_window() && row > 0)) continue;
        std::memcpy(part.rows[row], part.rows[own()], part.size * sizeof(T));
      }
    }
  }

  Engine& engine_;
  Node& node_;
  Tensors<T> tensors_;
  std::span<std::byte> window_;
  const T* first_window_ = nullptr;  // of rank 0: there the result is put together
  bool used_ = false;
  Range mine_;
  RowParts<T> parts_;
  Scratch scratch_;
};

// [tensor][rank], where all ranks have all tensors in shared memory, and can go on between nodes from there.
template <typename T>
std::optional<Node::Views> in_place(Node& node, const Tensors<T>& tensors) {
  std::vector<std::span<const std::byte>> pieces;
  for (const std::span<T> tensor : tensors.list()) {
    if (!tensor.empty()) pieces.push_back(std::as_bytes(tensor));
  }
  const auto found = node.find(pieces);
  double scattered = node.across() && !tensors.contiguous() ? 1 : 0;
  node.board().max(std::span(&scattered, 1));
  if (!found || scattered != 0) return std::nullopt;
  Node::Views views;
  std::size_t next = 0;
  for (const std::span<T> tensor : tensors.list())
    views.push_back(tensor.empty() ? std::vector<std::byte*>() : (*found)[next++]);
  return views;
}

}  // namespace

template <typename T>
std::unique_ptr<Course> node_course(Engine& engine, const Tensors<T>& tensors) {
  Node* node = engine.node();
  if (node == nullptr || !fits(engine.options(), *node)) return nullptr;
  if (const auto views = in_place(*node, tensors))
    return std::make_unique<NodeCourse<T>>(engine, tensors, std::span<std::byte>(), *views);
  const auto window = node->allocate(tensors.size() * sizeof(T));
  if (!window) return nullptr;
  const std::span<const std::byte> piece = *window;
  const auto views = node->find(std::span(&piece, 1));
  return std::make_unique<NodeCourse<T>>(engine, tensors, *window, views.value());
}

template std::unique_ptr<Course> node_course<float>(Engine&, const Tensors<float>&);
template std::unique_ptr<Course> node_course<double>(Engine&, const Tensors<double>&);
template std::unique_ptr<Course> node_course<Float16>(Engine&, const Tensors<Float16>&);
template std::unique_ptr<Course> node_course<BFloat16>(Engine&, const Tensors<BFloat16>&);

}  // namespace adasum::algorithms
