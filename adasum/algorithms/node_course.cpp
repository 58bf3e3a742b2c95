// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/node_course.h"

#include <algorithm>
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
      : engine_(engine),
        node_(*engine.node()),
        tensors_(std::move(tensors)),
        window_(window),
        first_window_(window.empty() ? nullptr : reinterpret_cast<const T*>(views[0][0])),
        mine_(share(tensors_.layout().whole(), node_.ranks().rank(), node_.ranks().size())),
        rows_(parts_of(views), {.rows = static_cast<std::size_t>(node_.ranks().size()),
                                .group = static_cast<std::size_t>(engine.options().group_size),
                                .tensors = tensors_.layout().tensors()}) {}

  ~NodeCourse() override {
    if (has_window()) node_.free(window_.data());
  }
  NodeCourse(const NodeCourse&) = delete;
  NodeCourse& operator=(const NodeCourse&) = delete;

  std::optional<int> combine() override {
    if (has_window()) copy_to_window();
    node_.board().wait_for_all();  // all are here, with what they bring
    if (const auto rank = lowest_of_world(rows_.measure(node_.board()))) return rank;
    if (has_window() || node_.across()) write();
    return std::nullopt;
  }

  void commit() override {
    if (has_window()) return tensors_.copy_from({first_window_, tensors_.size()});
    if (!node_.across()) write();
  }

  std::span<const double> dots() const override {
    if (node_.across()) return {};
    return rows_.dots();
  }

 private:
  bool has_window() const { return !window_.empty(); }
  std::span<T> own_window() const { return {reinterpret_cast<T*>(window_.data()), tensors_.size()}; }
  std::size_t own() const { return static_cast<std::size_t>(node_.ranks().rank()); }

  RowParts<T> parts_of(const Node::Views& views) const {
    RowParts<T> parts;
    tensors_.layout().for_each_part(mine_, [&](std::size_t tensor, Range elements) {
      RowPart<T> part{tensor, elements.size(), {}, {}};
      const std::size_t skipped = elements.begin - (has_window() ? 0 : tensors_.layout().tensor(tensor).begin);
      for (std::byte* view : views[has_window() ? 0 : tensor])
        part.rows.push_back(reinterpret_cast<T*>(view) + skipped);
      part.outs = destinations(part.rows);
      parts.push_back(std::move(part));
    });
    return parts;
  }

  // What each node has found, in ranks of the world; their order is that of the nodes.
  std::optional<int> lowest_of_world(std::optional<std::size_t> row) {
    if (!node_.across()) return row ? std::optional(static_cast<int>(*row)) : std::nullopt;
    const int first = engine_.world().rank() - node_.ranks().rank();
    const int mine = row ? first + static_cast<int>(*row) : engine_.world().size();
    std::vector<int> all(static_cast<std::size_t>(node_.across()->size()));
    node_.across()->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
    const int lowest = *std::ranges::min_element(all);
    return lowest < engine_.world().size() ? std::optional(lowest) : std::nullopt;
  }

  void write() {
    rows_.combine(node_.board());
    if (node_.across()) go_on_between_nodes();
    node_.board().wait_for_all();  // all shares are written
  }

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
    tree(data, mine_, tensors_.layout(), {.across = *node_.across(), .within = &node_.board()}, scratch_);
    for (const RowPart<T>& part : rows_.parts()) {
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
  const T* first_window_;  // of rank 0: there the result is put together
  Range mine_;
  RowTree<T> rows_;
  bool used_ = false;
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
std::unique_ptr<Course> node_course(Engine& engine, const Tensors<T>& tensors, Results results) {
  Node* node = engine.node();
  if (node == nullptr || !fits(engine.options(), *node)) return nullptr;
  if (results == Results::in_place || !node->across()) {
    if (const auto views = in_place(*node, tensors))
      return std::make_unique<NodeCourse<T>>(engine, tensors, std::span<std::byte>(), *views);
  }
  const auto window = node->allocate(tensors.size() * sizeof(T));
  if (!window) return nullptr;
  const std::span<const std::byte> piece = *window;
  const auto views = node->find(std::span(&piece, 1));
  return std::make_unique<NodeCourse<T>>(engine, tensors, *window, views.value());
}

template std::unique_ptr<Course> node_course<float>(Engine&, const Tensors<float>&, Results);
template std::unique_ptr<Course> node_course<double>(Engine&, const Tensors<double>&, Results);
template std::unique_ptr<Course> node_course<Float16>(Engine&, const Tensors<Float16>&, Results);
template std::unique_ptr<Course> node_course<BFloat16>(Engine&, const Tensors<BFloat16>&, Results);

}  // namespace adasum::algorithms
