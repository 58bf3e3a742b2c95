// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/small_course.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/tensor_numbers.h"
#include "adasum/kernels/rows.h"
#include "adasum/number.h"
#include "adasum/peer_scalars.h"
#include "adasum/shared/node.h"

namespace adasum::algorithms {
namespace {

// Beyond these a barrier costs less than what each rank would do for all.
constexpr std::size_t most_bytes_of_node = std::size_t{64} << 10;
constexpr std::size_t most_tensors = 4;

// Vectors begin at multiples of this, as the order of additions goes by their place in memory.
constexpr std::size_t alignment = 4096;

std::size_t padded(std::size_t size_bytes) { return (size_bytes + alignment - 1) / alignment * alignment; }

// What a node tells the others: its row that is not finite (-1: none), and what its ranks have come to.
struct Report {
  std::int64_t not_finite = -1;
};

template <typename T>
class SmallCourse : public Course {
 public:
  // `window`: memory of this rank for two vectors, taken in turns; `views`: where each rank of the node has it.
  SmallCourse(Engine& engine, const Tensors<T>& tensors, std::span<std::byte> window, const std::vector<std::byte*>& views)
      : node_(*engine.node()),
        tensors_(tensors),
        diagnostics_(engine.options().diagnostics),
        window_(window),
        numbers_(tensors.layout(), {}, tensors.layout().whole(),
                 diagnostics_ ? TensorNumbers::Shared::all : TensorNumbers::Shared::where_they_are) {
    if (node_.across()) make_room_for_reports();
    for (std::size_t slot = 0; slot < 2; ++slot) {
      std::vector<T*> rows;
      for (std::byte* view : views) rows.push_back(vector_at(view + slot * vector_bytes()));
      trees_.push_back(tree_of(rows, node_.across() ? vector_at(mine_.data() + alignment) : nullptr));
    }
    if (!node_.across()) return;
    std::vector<T*> rows;
    for (int node = 0; node < node_.across()->size(); ++node) rows.push_back(vector_at(report(node) + alignment));
    trees_.push_back(tree_of(rows, nullptr));
  }

  ~SmallCourse() override { node_.free(window_.data()); }
  SmallCourse(const SmallCourse&) = delete;
  SmallCourse& operator=(const SmallCourse&) = delete;

  // A slot is written again after the next barrier, which all come to when they have read it.
  std::optional<int> combine() override {
    slot_ = 1 - slot_;
    tensors_.copy_to({vector_at(window_.data() + slot_ * vector_bytes()), tensors_.size()});
    node_.board().wait_for_all();
    const auto row = trees_[slot_].measure(alone_);
    if (node_.across()) return go_on_between_nodes(row);
    return row ? std::optional(static_cast<int>(*row)) : std::nullopt;
  }

  void commit() override { trees_[node_.across() ? 2 : slot_].combine(alone_); }

  std::span<const double> dots() const override {
    if (node_.across() || !diagnostics_) return {};
    return trees_[slot_].dots();
  }

 private:
  static T* vector_at(std::byte* memory) { return reinterpret_cast<T*>(memory); }
  std::size_t vector_bytes() const { return padded(tensors_.size() * sizeof(T)); }
  std::byte* report(int node) { return all_.data() + static_cast<std::size_t>(node) * mine_.size(); }

  void make_room_for_reports() {
    const std::size_t report_bytes = alignment + vector_bytes();
    const std::size_t reports = 1 + static_cast<std::size_t>(node_.across()->size());
    memory_.resize(reports * report_bytes + alignment);
    const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(memory_.data()) % alignment;
    const auto aligned = std::span(memory_).subspan(alignment - misplaced);
    mine_ = aligned.first(report_bytes);
    all_ = aligned.subspan(report_bytes, (reports - 1) * report_bytes);
  }

  // `out`: where the result goes; null: to the tensors.
  RowTree<T> tree_of(const std::vector<T*>& rows, T* out) const {
    RowParts<T> parts;
    const Layout& layout = tensors_.layout();
    layout.for_each_part(layout.whole(), [&](std::size_t tensor, Range elements) {
      RowPart<T> part{numbers_.of(tensor), elements.size(), {}, {}};
      for (T* row : rows) part.rows.push_back(row + elements.begin);
      part.outs = {out ? out + elements.begin : tensors_.list()[tensor].data()};
      parts.push_back(std::move(part));
    });
    return {std::move(parts), {.rows = rows.size(), .tensors = numbers_.all(), .shared = numbers_.shared()}};
  }

  std::optional<int> go_on_between_nodes(std::optional<std::size_t> row) {
    const Report own{row ? static_cast<std::int64_t>(*row) : -1};
    std::memcpy(mine_.data(), &own, sizeof own);
    if (!row) trees_[slot_].combine(alone_);
    node_.across()->all_gather(mine_, all_);
    for (int node = 0; node < node_.across()->size(); ++node) {
      Report theirs;
      std::memcpy(&theirs, report(node), sizeof theirs);
      if (theirs.not_finite >= 0) return node * node_.ranks().size() + static_cast<int>(theirs.not_finite);
    }
    const auto too_long = trees_[2].measure(alone_);  // ranks were finite, what their node has come to is not
    return too_long ? std::optional(static_cast<int>(*too_long) * node_.ranks().size()) : std::nullopt;
  }

  Node& node_;
  Tensors<T> tensors_;
  bool diagnostics_;
  std::span<std::byte> window_;
  TensorNumbers numbers_;
  std::vector<std::byte> memory_;
  std::span<std::byte> mine_;  // this node's report, and then those of all nodes
  std::span<std::byte> all_;
  std::vector<RowTree<T>> trees_;  // of the ranks in either slot, and of nodes
  std::size_t slot_ = 0;
  OwnScalars alone_;
};

bool is_small(Engine& engine, std::size_t size_bytes, std::size_t tensors) {
  const auto ranks = static_cast<std::size_t>(engine.node()->ranks().size());
  return size_bytes > 0 && size_bytes * ranks <= most_bytes_of_node && tensors <= most_tensors;
}

bool fits(Engine& engine) {
  Node& node = *engine.node();
  const auto most = static_cast<int>(kernels::max_rows);
  if (engine.options().algorithm != Algorithm::automatic || engine.options().group_size > 1) return false;
  if (node.ranks().size() > most) return false;
  if (!node.across()) return true;
  return node.across()->size() <= most && std::has_single_bit(static_cast<unsigned>(node.ranks().size()));
}

// Also whether all have had memory for it.
bool all_alike(Engine& engine, bool has_memory) {
  const auto kind = static_cast<double>(kernels::kind_of_cpu());
  std::array<double, 3> values = {kind, -kind, has_memory ? 0.0 : 1.0};
  PeerScalars(engine.world()).max(values);
  return values[0] == -values[1] && values[2] == 0;
}

}  // namespace

template <typename T>
std::unique_ptr<Course> small_course(Engine& engine, const Tensors<T>& tensors) {
  Node* node = engine.node();
  if (std::is_same_v<T, double> || node == nullptr || !fits(engine)) return nullptr;
  if (!is_small(engine, tensors.size() * sizeof(T), tensors.list().size())) return nullptr;
  const auto window = node->allocate(2 * padded(tensors.size() * sizeof(T)));
  if (!all_alike(engine, window.has_value())) {
    if (window) node->free(window->data());
    return nullptr;
  }
  const std::span<const std::byte> piece = *window;
  const auto views = node->find(std::span(&piece, 1));
  return std::make_unique<SmallCourse<T>>(engine, tensors, *window, views->front());
}

template std::unique_ptr<Course> small_course<float>(Engine&, const Tensors<float>&);
template std::unique_ptr<Course> small_course<double>(Engine&, const Tensors<double>&);
template std::unique_ptr<Course> small_course<Float16>(Engine&, const Tensors<Float16>&);
template std::unique_ptr<Course> small_course<BFloat16>(Engine&, const Tensors<BFloat16>&);

}  // namespace adasum::algorithms
