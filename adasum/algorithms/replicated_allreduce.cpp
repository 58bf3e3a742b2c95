// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/allreduce_op.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "adasum/algorithms/node_vectors.h"
#include "adasum/algorithms/row_tree.h"
#include "adasum/algorithms/tensor_index.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/kernels/rows.h"
#include "adasum/shared_memory/node.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

// Above these limits, barriers cost less than the arithmetic that every rank would repeat.
constexpr std::size_t max_node_bytes = std::size_t{64} << 10;
constexpr std::size_t max_tensors = 4;

// Two ranks that copy their vectors: above these limits, arithmetic costs more than moving the other half of
// the result from one core's cache to the other's.
constexpr std::size_t max_pair_bytes = std::size_t{4} << 20;
constexpr std::size_t min_pair_elements = 100;  // of a tensor, on average

// A longer vector is copied past the caches: an ordinary store would first take each line from the cache of
// the core that has read it.
constexpr std::size_t max_cached_bytes = std::size_t{32} << 10;

// A node sends the others, ahead of its result, its row that is not finite, or this: all are finite.
constexpr std::int64_t none = -1;

// Vectors are aligned to this, as those of Engine::allocate are.
constexpr std::size_t alignment = 4096;

std::size_t padded(std::size_t size_bytes) {
  return (size_bytes + alignment - 1) / alignment * alignment;
}

template <typename T>
class ReplicatedAllreduce : public AllreduceOp {
 public:
  // `window`: memory of this rank for two vectors, used alternately; `views`: the windows of all ranks of the
  // node.
  ReplicatedAllreduce(Topology& topology, const Tensors<T>& tensors, std::span<std::byte> window,
                      const std::vector<std::byte*>& views)
      : node_(*topology.node_to_combine_in()),
        tensors_(tensors),
        diagnostics_(topology.options().diagnostics),
        window_(window),
        index_(tensors.layout(), {}, tensors.layout().whole(),
               diagnostics_ ? TensorIndex::Shared::all_tensors : TensorIndex::Shared::split_tensors) {
    if (node_.across()) make_room_for_reports();
    for (std::size_t slot = 0; slot < 2; ++slot) {
      std::vector<T*> rows;
      rows.reserve(views.size());
      for (std::byte* view : views) rows.push_back(vector_at(view + slot * vector_bytes()));
      const auto own = static_cast<std::size_t>(node_.ranks().rank());
      trees_.push_back(tree_of(rows, own, node_.across() ? vector_at(mine_.data() + alignment) : nullptr));
    }
    if (!node_.across()) return;
    std::vector<T*> rows;
    rows.reserve(static_cast<std::size_t>(node_.across()->size()));
    for (int node = 0; node < node_.across()->size(); ++node)
      rows.push_back(vector_at(report(node) + alignment));
    // All ranks are finite where it runs: a node's result may be too large for T, which is no error.
    trees_.push_back(tree_of(rows, std::nullopt, nullptr, NotFinite::combined));
  }

  ~ReplicatedAllreduce() override { node_.free(window_.data()); }
  ReplicatedAllreduce(const ReplicatedAllreduce&) = delete;
  ReplicatedAllreduce& operator=(const ReplicatedAllreduce&) = delete;

  // A slot is overwritten only after the next barrier; ranks enter that barrier after they have read the
  // slot.
  std::optional<int> combine() override {
    slot_ = 1 - slot_;
    copy_to({vector_at(window_.data() + slot_ * vector_bytes()), tensors_.size()});
    node_.shared_reduce().barrier();
    const auto row = trees_[slot_].measure(local_reduce_);
    if (node_.across()) return combine_nodes(row);
    return row ? std::optional(static_cast<int>(*row)) : std::nullopt;
  }

  void commit() override { trees_[node_.across() ? 2 : slot_].combine(local_reduce_); }

  std::span<const double> dots() const override {
    if (node_.across() || !diagnostics_) return {};
    return trees_[slot_].dots();
  }

 private:
  static T* vector_at(std::byte* memory) { return reinterpret_cast<T*>(memory); }
  std::size_t vector_bytes() const { return padded(tensors_.size() * sizeof(T)); }
  std::byte* report(int node) { return all_.data() + static_cast<std::size_t>(node) * mine_.size(); }

  void copy_to(std::span<T> vector) const {
    if (vector.size_bytes() > max_cached_bytes) return tensors_.stream_to(vector);
    tensors_.copy_to(vector);
  }

  void make_room_for_reports() {
    const std::size_t report_bytes = alignment + vector_bytes();
    const std::size_t reports = 1 + static_cast<std::size_t>(node_.across()->size());
    memory_.resize(reports * report_bytes + alignment);
    const std::size_t misplaced = reinterpret_cast<std::uintptr_t>(memory_.data()) % alignment;
    const auto aligned = std::span(memory_).subspan(alignment - misplaced);
    mine_ = aligned.first(report_bytes);
    all_ = aligned.subspan(report_bytes, (reports - 1) * report_bytes);
  }

  // `own`: the row of this rank, which is read from its tensors; `out`: where the result is written; null: to
  // the tensors.
  RowTree<T> tree_of(const std::vector<T*>& rows, std::optional<std::size_t> own, T* out,
                     NotFinite not_finite = NotFinite::reported) const {
    RowParts<T> parts;
    const Layout& layout = tensors_.layout();
    layout.for_each_part(layout.whole(), [&](std::size_t tensor, Range elements) {
      RowPart<T> part{index_.of(tensor), elements.size(), {}, {}};
      for (T* row : rows) part.rows.push_back(row + elements.begin);
      T* const mine = tensors_.list()[tensor].data();
      if (own) part.rows[*own] = mine;
      part.outs = {out ? out + elements.begin : mine};
      parts.push_back(std::move(part));
    });
    return {
        std::move(parts),
        {.rows = rows.size(), .tensors = index_.all(), .shared = index_.shared(), .not_finite = not_finite}};
  }

  std::optional<int> combine_nodes(std::optional<std::size_t> row) {
    const std::int64_t not_finite = row ? static_cast<std::int64_t>(*row) : none;
    std::memcpy(mine_.data(), &not_finite, sizeof not_finite);
    if (!row) trees_[slot_].combine(local_reduce_);
    node_.across()->all_gather(mine_, all_);
    for (int node = 0; node < node_.across()->size(); ++node) {
      std::int64_t theirs = none;
      std::memcpy(&theirs, report(node), sizeof theirs);
      if (theirs != none) return node * node_.ranks().size() + static_cast<int>(theirs);
    }
    trees_[2].measure(local_reduce_);
    return std::nullopt;
  }

  Node& node_;
  Tensors<T> tensors_;
  bool diagnostics_;
  std::span<std::byte> window_;
  TensorIndex index_;
  std::vector<std::byte> memory_;
  std::span<std::byte> mine_;      // this node's report
  std::span<std::byte> all_;       // the reports of all nodes
  std::vector<RowTree<T>> trees_;  // one for the ranks per slot, then one for the nodes
  std::size_t slot_ = 0;
  LocalReduce local_reduce_;
};

template <typename T>
bool is_small(Node& node, const Tensors<T>& tensors) {
  const auto ranks = static_cast<std::size_t>(node.ranks().size());
  return tensors.size() * sizeof(T) * ranks <= max_node_bytes && tensors.list().size() <= max_tensors;
}

// Whether they are of two ranks that would have to copy them anyway. Collective over the node.
template <typename T>
bool is_pair(Node& node, const Tensors<T>& tensors) {
  if (node.ranks().size() != 2 || node.across() || tensors.size() * sizeof(T) > max_pair_bytes) return false;
  return tensors.size() >= min_pair_elements * tensors.list().size() && !views_in_place(node, tensors);
}

bool allows_replicated(Topology& topology) {
  Node& node = *topology.node_to_combine_in();
  const auto most = static_cast<int>(kernels::max_rows);
  if (topology.options().algorithm != Algorithm::automatic || topology.options().group_size > 1) return false;
  if (node.ranks().size() > most) return false;
  if (!node.across()) return true;
  return node.across()->size() <= most && is_power_of_two(node.ranks().size());
}

// Whether all ranks have the same kind of CPU, and every rank has the memory.
bool same_cpu_everywhere(Topology& topology, bool has_memory) {
  const auto kind = static_cast<double>(kernels::kind_of_cpu());
  std::array<double, 3> values = {kind, -kind, has_memory ? 0.0 : 1.0};
  MessageReduce(topology.world()).max(values);
  return values[0] == -values[1] && values[2] == 0;
}

}  // namespace

template <typename T>
std::unique_ptr<AllreduceOp> replicated_allreduce(Topology& topology, const Tensors<T>& tensors) {
  Node* node = topology.node_to_combine_in();
  if (std::is_same_v<T, double> || node == nullptr || tensors.size() == 0 || !allows_replicated(topology))
    return nullptr;
  if (!is_small(*node, tensors) && !is_pair(*node, tensors)) return nullptr;
  const auto window = node->allocate(2 * padded(tensors.size() * sizeof(T)));
  if (!same_cpu_everywhere(topology, window.has_value())) {
    if (window) node->free(window->data());
    return nullptr;
  }
  const std::span<const std::byte> piece = *window;
  const auto views = node->find(std::span(&piece, 1));
  return std::make_unique<ReplicatedAllreduce<T>>(topology, tensors, *window, views->front());
}

template std::unique_ptr<AllreduceOp> replicated_allreduce<float>(Topology&, const Tensors<float>&);
template std::unique_ptr<AllreduceOp> replicated_allreduce<double>(Topology&, const Tensors<double>&);
template std::unique_ptr<AllreduceOp> replicated_allreduce<Float16>(Topology&, const Tensors<Float16>&);
template std::unique_ptr<AllreduceOp> replicated_allreduce<BFloat16>(Topology&, const Tensors<BFloat16>&);

}  // namespace adasum::algorithms
