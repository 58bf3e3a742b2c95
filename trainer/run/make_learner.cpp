// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/make_learner.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "trainer/boost/dim_reduce.h"
#include "trainer/boost/grad_freeze.h"
#include "trainer/optimizers/sharded.h"
#include "trainer/options/rules.h"
#include "trainer/run/shared_basis.h"

namespace adarun::trainer {
namespace {

bool can_be_centralized(const TensorShape& tensor) {
  return tensor.role == TensorRole::weight && tensor.shape.size() >= 2 && tensor.shape[1] % 16 == 0;
}

bool continues_chunk(const TensorShape& tensor) {
  if (tensor.role == TensorRole::bias) return true;
  // The reference goes by names, which say "bn" in normalizations of the main path only.
  return tensor.role == TensorRole::normalization && tensor.name.find(".shortcut.") == std::string::npos;
}

}  // namespace

LayerOptions layer_options(const BoostOptions& boost) {
  return {boost.less_bn.has_value(), boost.less_bn && boost.less_bn->normalize_scores};
}

OptimizedTensors optimized_tensors(const Model& model, const TrainerOptions& options) {
  const bool centralizes = centralizes_gradients(options);
  OptimizedTensors tensors;
  for (const TensorShape& tensor : model.parameters) {
    tensors.push_back(
        {tensor.count(), tensor.decays(), centralizes && can_be_centralized(tensor) ? tensor.shape[0] : 0});
  }
  return tensors;
}

FreezeGroups freeze_groups_of(const Model& model, const GradFreezeOptions& options) {
  std::vector<bool> continues;
  for (const TensorShape& tensor : model.parameters) continues.push_back(continues_chunk(tensor));
  return freeze_groups(continues, options.groups);
}

namespace {

/// 0 means no buckets; a positive size never becomes 0.
std::size_t bucket_bytes(double bucket_mb) {
  return bucket_mb > 0 ? std::max<std::size_t>(static_cast<std::size_t>(bucket_mb * 1e6), 1) : 0;
}

std::unique_ptr<Optimizer> optimizer_for(const OptimizedTensors& tensors, const ReduceContext& context,
                                         const TrainerOptions& options) {
  if (options.shard_optimizer) return make_sharded(options.optimizer, tensors, context.communicator);
  return make_optimizer(options.optimizer, tensors);
}

TrainedGroups frozen_groups(const FreezeGroups& groups, const OptimizedTensors& tensors,
                            const ReduceContext& context, const TrainerOptions& options) {
  TrainedGroups made;
  for (const std::size_t first : groups.first_tensor) {
    const OptimizedTensors trained(tensors.begin() + static_cast<std::ptrdiff_t>(first), tensors.end());
    made.groups.push_back({first, optimizer_for(trained, context, options)});
  }
  made.of_round = [sequence = FreezeSequence(*options.boost.grad_freeze, options.seed)](std::int64_t round) {
    return sequence.group(round);
  };
  return made;
}

TrainedGroups groups_for(const Model& model, const ReduceContext& context, const TrainerOptions& options) {
  TrainedGroups one;
  if (const auto& reduced = options.boost.dim_reduce) {
    SharedBasis basis = load_basis(*reduced, model, context.communicator);
    one.groups.push_back({0, make_dim_reduce(*reduced, std::move(basis), context.communicator)});
    return one;
  }
  const OptimizedTensors tensors = optimized_tensors(model, options);
  if (const auto& freeze = options.boost.grad_freeze) {
    const FreezeGroups groups = freeze_groups_of(model, *freeze);
    if (groups.freeze()) return frozen_groups(groups, tensors, context, options);
  }
  one.groups.push_back({0, optimizer_for(tensors, context, options)});
  return one;
}

}  // namespace

Learner make_learner(const Model& model, Weights& weights, const ReduceContext& context,
                     const TrainerOptions& options) {
  return {weights, groups_for(model, context, options), context,
          LearnerOptions{options.adasum_on, options.local_steps, options.loss_scale,
                         bucket_bytes(options.bucket_mb), options.micro_batches}};
}

}  // namespace adarun::trainer
