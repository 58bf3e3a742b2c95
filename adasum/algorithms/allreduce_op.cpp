// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/allreduce_op.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/gram.h"
#include "adasum/algorithms/scratch.h"
#include "adasum/algorithms/tree.h"
#include "adasum/communicators/communicator.h"
#include "adasum/communicators/scalar_reduce.h"
#include "adasum/kernels/rows.h"
#include "adasum/types/error.h"
#include "adasum/types/layout.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

// AdaSum by messages between all ranks, by gram() or tree(). Algorithm::automatic uses gram() for up to 16
// ranks, and for any number of groups that is not a power of two. Formula and tree: arXiv 2006.02924,
// section 3, with the departures of gram() and tree().
//
// With groups, tree() runs as scatter_mean() within each group, tree() between the ranks with the same
// share, then gather_shares() within each group. With gram(), each rank averages the groups for the share
// that it combines.
//
// Works in the tensors themselves if they are contiguous and results are wanted in place, else in a copy.
template <typename T>
class MessageAllreduce : public AllreduceOp {
 public:
  MessageAllreduce(Topology& topology, Tensors<T> tensors, Results results)
      : topology_(topology),
        tensors_(std::move(tensors)),
        in_place_(results == Results::in_place && tensors_.contiguous()) {}

  std::optional<int> combine() override {
    if (!in_place_) tensors_.copy_to(copy());
    return combine(in_place_ ? tensors_.as_one() : copy());
  }

  void commit() override {
    if (!in_place_) tensors_.copy_from(copy());
  }

  std::span<const double> dots() const override { return dots_; }

 private:
  std::span<T> copy() { return copy_.take<T>(tensors_.size()); }

  std::optional<int> combine(std::span<T> data) {
    const Options& options = topology_.options();
    if (by_gram()) {
      Communicator* const parts = topology_.parts();
      std::optional<OrderedReduce> within;
      if (parts) within.emplace(*parts);
      const auto shared = options.diagnostics || parts ? TensorIndex::Shared::all_tensors
                                                       : TensorIndex::Shared::split_tensors;
      auto result =
          gram(data, tensors_.layout(), {.across = topology_.world(), .within = within ? &*within : nullptr},
               {.group = static_cast<std::size_t>(options.group_size), .shared = shared}, scratch_);
      dots_.clear();
      if (options.diagnostics) dots_ = std::move(result.dots);
      return result.not_finite;
    }
    if (const auto rank = first_without(tensors_.finite(), topology_.world())) return rank;
    Range mine = tensors_.layout().whole();
    Communicator* group = topology_.group();
    if (group) mine = scatter_mean(data, *group, scratch_);
    std::optional<MessageReduce> within;
    if (group) within.emplace(*group);
    tree(part(data, mine), mine, tensors_.layout(),
         {.across = topology_.across_groups(), .within = within ? &*within : nullptr}, scratch_);
    if (group) gather_shares(data, *group);
    return std::nullopt;
  }

  bool by_gram() const {
    if (topology_.parts() != nullptr) return true;
    if (topology_.options().algorithm != Algorithm::automatic)
      return topology_.options().algorithm == Algorithm::gram;
    return !is_power_of_two(topology_.participants()) ||
           static_cast<std::size_t>(topology_.world().size()) <= kernels::max_rows;
  }

  Topology& topology_;
  Tensors<T> tensors_;
  bool in_place_;
  std::vector<double> dots_;
  Scratch scratch_;
  Scratch copy_;
};

// In a world of one rank, the tensors already are the result.
template <typename T>
class SingleRankAllreduce : public AllreduceOp {
 public:
  explicit SingleRankAllreduce(Tensors<T> tensors) : tensors_(std::move(tensors)) {}
  std::optional<int> combine() override { return tensors_.finite() ? std::nullopt : std::optional(0); }
  void commit() override {}

 private:
  Tensors<T> tensors_;
};

}  // namespace

template <typename T>
std::unique_ptr<AllreduceOp> make_allreduce(Topology& topology, Tensors<T> tensors, Results results) {
  Fingerprint of_parts;
  of_parts.add(tensors.list().size());
  topology.agree(fingerprint_of(tensors), false, of_parts.value());
  if (topology.parts() != nullptr)
    return std::make_unique<MessageAllreduce<T>>(topology, std::move(tensors), results);
  if (topology.world().size() == 1) return std::make_unique<SingleRankAllreduce<T>>(std::move(tensors));
  if (auto op = replicated_allreduce(topology, tensors)) return op;
  if (auto op = shared_memory_allreduce(topology, tensors)) return op;
  if (auto op = hierarchical_allreduce(topology, tensors, results)) return op;
  if (topology.options().algorithm == Algorithm::shared)
    throw UnsupportedWorld(
        "the shared algorithm: the ranks of a node share no memory, or do not hold whole groups of the tree");
  return std::make_unique<MessageAllreduce<T>>(topology, std::move(tensors), results);
}

template std::unique_ptr<AllreduceOp> make_allreduce<float>(Topology&, Tensors<float>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<double>(Topology&, Tensors<double>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<Float16>(Topology&, Tensors<Float16>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<BFloat16>(Topology&, Tensors<BFloat16>, Results);

}  // namespace adasum::algorithms
