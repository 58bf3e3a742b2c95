// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/reducer.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "adasum/finite.h"
#include "adasum/mean.h"
#include "adasum/plan.h"
#include "adasum/steps/gradient_steps.h"
#include "adasum/types/layout.h"
#include "trainer/reducers/bucketed_adasum.h"

namespace adarun::trainer {
namespace {

std::unique_ptr<adasum::Engine> make_engine(adasum::Communicator& communicator, const Reduction& reduction,
                                            Diagnostics diagnostics) {
  if (reduction.reduce != Reduce::adasum) return nullptr;
  // choose_reduction() has already checked the world.
  const adasum::Options options{.group_size = reduction.group_size,
                                .group_gain = reduction.group_gain,
                                .worlds = adasum::Worlds::any,
                                .diagnostics = diagnostics == Diagnostics::yes};
  return std::make_unique<adasum::Engine>(communicator, options);
}

}  // namespace

ReduceContext::ReduceContext(adasum::Communicator& world, const Reduction& how, Diagnostics diagnostics)
    : communicator(world), reduction(how), engine(make_engine(world, how, diagnostics)) {}

ReduceContext::ReduceContext(SplitRun& run, const Reduction& how)
    : communicator(run.groups().world()), reduction(how), split(&run) {}

std::span<float> ReduceContext::allocate(std::size_t count) const {
  assert(engine);
  const std::span<std::byte> bytes = engine->allocate(count * sizeof(float));
  return {reinterpret_cast<float*>(bytes.data()), count};
}

namespace {

/// Combines once all gradients are finite on every rank.
class FiniteReducer : public Reducer {
 public:
  FiniteReducer(std::span<const float> gradients, adasum::Communicator& communicator,
                std::function<void()> combine)
      : gradients_(gradients), communicator_(communicator), combine_(std::move(combine)) {}

  std::optional<int> reduce() override {
    if (const auto rank = adasum::first_not_finite(gradients_, communicator_)) return rank;
    combine_();
    return std::nullopt;
  }

 private:
  std::span<const float> gradients_;
  adasum::Communicator& communicator_;
  std::function<void()> combine_;
};

class Adasum : public Reducer {
 public:
  Adasum(adasum::Engine& engine, const TensorSpan& gradients)
      : plan_(engine, adasum::tensors_of(gradients.values, gradients.counts)) {}

  std::optional<int> reduce() override { return plan_.run(); }
  std::vector<adasum::TensorDiagnostics> diagnostics() const override { return plan_.diagnostics(); }

 private:
  adasum::GradientPlan<float> plan_;
};

/// The mean over ranks, summed in double in the order of ranks: communicators of equal size, whose ranks have
/// equal values, get equal bits. MPI's sums promise that only within one communicator. `all`: room to gather
/// them.
void ordered_mean(std::span<float> values, adasum::Communicator& communicator, std::vector<float>& all) {
  all.resize(values.size() * static_cast<std::size_t>(communicator.size()));
  communicator.all_gather(std::as_bytes(values), std::as_writable_bytes(std::span(all)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    for (std::size_t at = i; at < all.size(); at += values.size()) sum += static_cast<double>(all[at]);
    values[i] = static_cast<float>(sum / communicator.size());
  }
}

/// The tensors of layers with so many parts.
struct MeshTensors {
  std::vector<std::span<float>> parts;  // of which each rank of a replica has its own
  std::vector<std::span<float>> whole;  // of which each has all

  std::vector<std::span<float>> all() const {
    std::vector<std::span<float>> both = parts;
    both.insert(both.end(), whole.begin(), whole.end());
    return both;
  }
};

using Meshes = std::map<std::int64_t, MeshTensors>;  // by parts

Meshes meshes_of(SplitRun& split, const TensorSpan& gradients) {
  Meshes meshes;
  std::span<float> left = gradients.values;
  const auto& tensors = split.whole().parameters;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::span<float> tensor = left.first(static_cast<std::size_t>(gradients.counts[t]));
    left = left.subspan(tensor.size());
    const planner::Strategy& strategy = split.strategies()[tensors[t].layer];
    const bool is_whole = static_cast<std::int64_t>(tensor.size()) == tensors[t].count();
    MeshTensors& mesh = meshes[strategy.parts];
    (strategy.parts > 1 && is_whole ? mesh.whole : mesh.parts).push_back(tensor);
  }
  return meshes;
}

struct SharedTensor {
  std::span<float> values;
  adasum::Communicator& replicas;
};

/// Tensors that lie one after the other are sent together.
void add(std::vector<SharedTensor>& all, const SharedTensor& next) {
  if (!all.empty() && &all.back().replicas == &next.replicas) {
    std::span<float>& last = all.back().values;
    if (last.data() + last.size() == next.values.data()) {
      last = {last.data(), last.size() + next.values.size()};
      return;
    }
  }
  all.push_back(next);
}

std::function<void()> split_mean(SplitRun& split, const TensorSpan& gradients) {
  std::vector<SharedTensor> parts;
  std::vector<SharedTensor> whole;
  for (const auto& [count, tensors] : meshes_of(split, gradients)) {
    adasum::Communicator& replicas = split.groups().replicas(count);
    if (replicas.size() == 1) continue;
    for (const std::span<float> tensor : tensors.parts) add(parts, {tensor, replicas});
    for (const std::span<float> tensor : tensors.whole) whole.push_back({tensor, replicas});
  }
  return [parts, whole, gathered = std::vector<float>()]() mutable {
    for (const auto& [values, replicas] : parts) adasum::mean(values, replicas);
    for (const auto& [values, replicas] : whole) ordered_mean(values, replicas, gathered);
  };
}

/// The AdaSum of the tensors of one mesh.
struct MeshAdasum {
  MeshAdasum(adasum::Communicator& replicas, adasum::Communicator* of_parts,
             const std::vector<std::span<float>>& tensors)
      : engine(replicas, {.worlds = adasum::Worlds::any}, of_parts), plan(engine, tensors) {}

  adasum::Engine engine;
  adasum::Plan<float> plan;
};

std::function<void()> split_adasum(SplitRun& split, const TensorSpan& gradients) {
  std::vector<std::shared_ptr<MeshAdasum>> meshes;
  for (const auto& [parts, tensors] : meshes_of(split, gradients)) {
    adasum::Communicator& replicas = split.groups().replicas(parts);
    if (replicas.size() == 1) continue;
    adasum::Communicator* const of_parts = parts > 1 ? &split.groups().adjacent(parts) : nullptr;
    meshes.push_back(std::make_shared<MeshAdasum>(replicas, of_parts, tensors.all()));
  }
  return [meshes] {
    for (const auto& mesh : meshes) mesh->plan.run();
  };
}

}  // namespace

std::unique_ptr<Reducer> make_reducer(const ReduceContext& context, Weights& weights,
                                      const BucketOptions& buckets, std::size_t first) {
  TensorSpan gradients = weights.gradients_from(first);
  const std::span<float> values = gradients.values;
  adasum::Communicator& communicator = context.communicator;
  const auto of_finite = [&](std::function<void()> combine) {
    return std::make_unique<FiniteReducer>(values, communicator, std::move(combine));
  };
  if (context.split != nullptr) {
    return of_finite(context.reduction.reduce == Reduce::mean ? split_mean(*context.split, gradients)
                                                              : split_adasum(*context.split, gradients));
  }
  std::vector<std::int64_t> rows;
  if (context.reduction.per == AdasumPer::row) gradients.counts = rows = weights.row_counts(first);
  switch (context.reduction.reduce) {
    case Reduce::adasum:
      assert(buckets.bucket_bytes == 0 || first == 0);
      if (buckets.bucket_bytes > 0) return bucketed_adasum(context, weights, buckets);
      assert(context.engine);
      return std::make_unique<Adasum>(*context.engine, gradients);
    case Reduce::mean:
      return of_finite([values, &communicator] { adasum::mean(values, communicator); });
    case Reduce::sum:
      return of_finite([values, &communicator] { communicator.sum(values); });
    case Reduce::none:
      break;
  }
  return of_finite([] {});
}

}  // namespace adarun::trainer
