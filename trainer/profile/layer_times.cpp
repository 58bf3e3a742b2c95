// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/layer_times.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/kernels/finite.h"
#include "adasum/kernels/rows.h"
#include "base/median.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/planner/model/strategy.h"

namespace adarun::trainer {
namespace {

using planner::LayerSplit;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Measures one pass: cuts the computation in front of each layer, so that the layers go backward one by one.
/// Each layer takes drawn values, as many channels as its strategy says, with the shape of the real ones.
class TimedPass : public LayerBoundary {
 public:
  /// One strategy of one replica for each layer; both must outlive it.
  TimedPass(const planner::ModelGraph& graph, const std::vector<planner::Strategy>& strategies)
      : graph_(graph), strategies_(strategies), results_(strategies.size()), times_(strategies.size()) {}

  torch::Tensor input(std::size_t layer, const Activation& x) override {
    end_layer();
    torch::Tensor given = x.values.detach();
    if (x.layer != Activation::images) {
      results_[x.layer] = x.values;
      given = drawn_like(x, layer);
      given.requires_grad_();
    }
    now_in_ = layer;
    start_ = Clock::now();
    return given;
  }

  bool sums(std::size_t layer) const override { return strategies_[layer].split == LayerSplit::inputs; }
  torch::Tensor sum(const torch::Tensor& output, std::size_t /*layer*/) override { return output; }

  /// The backward pass, after a forward pass that gave `scores`.
  void go_back(const torch::Tensor& scores, const torch::Tensor& labels) {
    end_layer();
    results_.back() = scores;
    const auto start = Clock::now();
    const torch::Tensor given = scores.detach().requires_grad_();
    cross_entropy(given, labels, 0).backward();
    times_.back().backward_s += seconds_since(start);
    for (std::size_t layer = results_.size(); layer-- > 0;) go_back_in(layer);
  }

  const std::vector<planner::LayerTime>& times() const { return times_; }

 private:
  void end_layer() {
    if (now_in_ != Activation::images) times_[now_in_].forward_s += seconds_since(start_);
    now_in_ = Activation::images;
  }

  void go_back_in(std::size_t layer) {
    const torch::Tensor gradient = torch::randn_like(results_[layer]);
    const auto start = Clock::now();
    results_[layer].backward(gradient);
    times_[layer].backward_s += seconds_since(start);
  }

  /// Of the result of a layer, or of what layer `layer` takes of it.
  std::int64_t channels(std::int64_t all, planner::Channels held, std::size_t layer) const {
    return held == planner::Channels::all ? all : planner::largest_part(all, strategies_[layer].parts);
  }

  torch::Tensor drawn_like(const Activation& x, std::size_t layer) const {
    const std::int64_t had =
        channels(x.channels, planner::output_layout(strategies_[x.layer]).channels, x.layer);
    const std::int64_t wanted =
        channels(x.channels, planner::input_layout(graph_.layers[layer], strategies_[layer]).channels, layer);
    std::vector<std::int64_t> shape = x.values.sizes().vec();
    shape[1] = shape[1] / had * wanted;
    return torch::randn(shape);
  }

  const planner::ModelGraph& graph_;
  const std::vector<planner::Strategy>& strategies_;
  std::vector<torch::Tensor> results_;
  std::vector<planner::LayerTime> times_;
  std::size_t now_in_ = Activation::images;
  Clock::time_point start_;
};

/// The median of a member of the times of a layer, of one sample.
double median_of(const std::vector<std::vector<planner::LayerTime>>& passes, std::size_t layer,
                 double planner::LayerTime::*member, int samples) {
  std::vector<double> values;
  for (const auto& times : passes) values.push_back(times[layer].*member);
  return base::median(std::move(values)) / samples;
}

using Strategies = std::vector<planner::Strategy>;

/// The time of a sample in each layer, in the parts that rank 0 has by `strategies`.
std::vector<planner::LayerTime> measure(const Model& whole, const Strategies& strategies, int batch_size,
                                        int most_passes) {
  const Model model = model_of_rank(whole, strategies, 0);
  const Weights weights(model, 1);
  const torch::Tensor images =
      torch::randn({batch_size, model.shape.channels, model.shape.side, model.shape.side});
  std::vector<std::vector<planner::LayerTime>> passes;
  for (int pass = 0; pass <= most_passes; ++pass) {
    TimedPass timed(whole.graph, strategies);
    Layers layers(weights.tensors(), weights.buffer_tensors(), true, model.layers, &timed);
    const torch::Tensor scores = model.forward(layers, images, model.shape.classes);
    timed.go_back(scores, torch::randint(scores.size(1), {batch_size}, torch::kInt64));
    if (pass > 0) passes.push_back(timed.times());
  }
  std::vector<planner::LayerTime> times;
  for (std::size_t layer = 0; layer < strategies.size(); ++layer)
    times.push_back({median_of(passes, layer, &planner::LayerTime::forward_s, batch_size),
                     median_of(passes, layer, &planner::LayerTime::backward_s, batch_size)});
  return times;
}

/// Every layer that can be split so in `parts` parts; the others are whole.
Strategies split_where_possible(const planner::ModelGraph& graph, LayerSplit split, int parts) {
  Strategies strategies;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    const planner::Strategy wanted{1, parts, split};
    const auto allowed = planner::strategies(graph, layer, parts);
    const bool can = std::ranges::find(allowed, wanted) != allowed.end();
    strategies.push_back(can ? wanted : planner::Strategy{1, parts, LayerSplit::none});
  }
  return strategies;
}

}  // namespace

planner::ModelGraph measure_layers(const Model& model, const ProfileOptions& options) {
  planner::ModelGraph graph = model.graph;
  const std::size_t layers = graph.layers.size();
  const auto whole =
      measure(model, Strategies(layers, {1, 1, LayerSplit::none}), options.batch_size, options.passes);
  for (std::size_t layer = 0; layer < layers; ++layer) graph.layers[layer].time = whole[layer];
  for (int parts = 2; parts <= options.parts; parts *= 2) {
    for (const LayerSplit split : {LayerSplit::outputs, LayerSplit::inputs}) {
      const Strategies strategies = split_where_possible(model.graph, split, parts);
      const auto times = measure(model, strategies, options.batch_size * parts, options.passes);
      for (std::size_t layer = 0; layer < layers; ++layer) {
        if (strategies[layer].split == split)
          graph.layers[layer].part_times.push_back({split, parts, times[layer]});
      }
    }
  }
  return graph;
}

namespace {

double median_seconds(int passes, const std::function<void()>& work) {
  std::vector<double> all;
  for (int pass = 0; pass <= passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (pass > 0) all.push_back(taken.count());
  }
  return base::median(std::move(all));
}

OptimizedTensors tensors_of(const Model& model) {
  OptimizedTensors tensors;
  for (const TensorShape& tensor : model.parameters) tensors.push_back({.count = tensor.count()});
  return tensors;
}

}  // namespace

planner::WeightTime measure_weight_time(const Model& model, int passes) {
  Weights weights(model, 1);
  const std::span<float> values = weights.values();
  const std::span<float> gradients = weights.gradients();
  const auto optimizer = make_optimizer({}, tensors_of(model));
  const double update_s = median_seconds(passes, [&] {
    if (!adasum::kernels::is_finite<float>(gradients)) return;
    optimizer->step(values, gradients, {.rate = 1e-3F});
    std::ranges::fill(gradients, 0.0F);
  });
  const std::array<const float*, 2> rows{values.data(), gradients.data()};
  const std::array<float*, 1> result{gradients.data()};
  std::array<double, adasum::kernels::pairs_of(2)> dots{};
  const double combine_s = median_seconds(passes, [&] {
    adasum::kernels::gram<float>(rows, values.size(), dots);
    adasum::kernels::mix<float>(rows, std::array{0.5, 0.5}, values.size(), result);
  });
  const auto count = static_cast<double>(values.size());
  return {update_s / count, combine_s / count};
}

}  // namespace adarun::trainer
