// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/allreduce_op.h"

#include <utility>

#include "adasum/types/error.h"
#include "adasum/types/fingerprint.h"
#include "adasum/types/number.h"

namespace adasum::algorithms {
namespace {

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
  if (topology.parts() != nullptr) return message_allreduce(topology, std::move(tensors), results);
  if (topology.world().size() == 1) return std::make_unique<SingleRankAllreduce<T>>(std::move(tensors));
  if (auto op = replicated_allreduce(topology, tensors)) return op;
  if (auto op = shared_memory_allreduce(topology, tensors)) return op;
  if (auto op = hierarchical_allreduce(topology, tensors, results)) return op;
  if (topology.options().algorithm == Algorithm::shared)
    throw UnsupportedWorld(
        "the shared algorithm: the ranks of a node share no memory, or do not hold whole groups of the tree");
  return message_allreduce(topology, std::move(tensors), results);
}

template std::unique_ptr<AllreduceOp> make_allreduce<float>(Topology&, Tensors<float>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<double>(Topology&, Tensors<double>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<Float16>(Topology&, Tensors<Float16>, Results);
template std::unique_ptr<AllreduceOp> make_allreduce<BFloat16>(Topology&, Tensors<BFloat16>, Results);

}  // namespace adasum::algorithms
