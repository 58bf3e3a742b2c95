// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/layer_times.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "trainer/losses/cross_entropy.h"
#include "trainer/models/weights.h"

namespace adarun::trainer {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Measures one pass: cuts the computation in front of each layer, so that the layers go backward one by one.
class TimedPass : public LayerBoundary {
 public:
  explicit TimedPass(std::size_t layers) : taken_(layers), results_(layers), times_(layers) {}

  torch::Tensor input(std::size_t layer, const Activation& x) override {
    end_layer();
    torch::Tensor given = x.values.detach();
    if (x.layer != Activation::images) {
      results_[x.layer] = x.values;
      given.requires_grad_();
      taken_[x.layer].push_back(given);
    }
    now_in_ = layer;
    start_ = Clock::now();
    return given;
  }

  bool sums(std::size_t /*layer*/) const override { return false; }
  torch::Tensor sum(const torch::Tensor& output, std::size_t /*layer*/) override { return output; }

  /// The backward pass, after a forward pass that gave `scores`.
  void go_back(const torch::Tensor& scores, const torch::Tensor& labels) {
    end_layer();
    results_.back() = scores;
    const auto start = Clock::now();
    const torch::Tensor given = scores.detach().requires_grad_();
    cross_entropy(given, labels, 0).backward();
    times_.back().backward_s += seconds_since(start);
    taken_.back().push_back(given);
    for (std::size_t layer = results_.size(); layer-- > 0;) go_back_in(layer);
  }

  const std::vector<planner::LayerTime>& times() const { return times_; }

 private:
  void end_layer() {
    if (now_in_ != Activation::images) times_[now_in_].forward_s += seconds_since(start_);
    now_in_ = Activation::images;
  }

  void go_back_in(std::size_t layer) {
    torch::Tensor gradient = taken_[layer].front().grad();
    for (std::size_t other = 1; other < taken_[layer].size(); ++other)
      gradient = gradient + taken_[layer][other].grad();
    const auto start = Clock::now();
    results_[layer].backward(gradient);
    times_[layer].backward_s += seconds_since(start);
  }

  std::vector<std::vector<torch::Tensor>> taken_;  // by other layers, of the result of each
  std::vector<torch::Tensor> results_;
  std::vector<planner::LayerTime> times_;
  std::size_t now_in_ = Activation::images;
  Clock::time_point start_;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The median of a member of the times of a layer, of one sample.
double median_of(const std::vector<std::vector<planner::LayerTime>>& passes, std::size_t layer,
                 double planner::LayerTime::*member, int samples) {
  std::vector<double> values;
  for (const auto& times : passes) values.push_back(times[layer].*member);
  return median(std::move(values)) / samples;
}

}  // namespace

planner::ModelGraph measure_layers(const Model& model, const ProfileOptions& options) {
  const Weights weights(model, 1);
  const torch::Tensor images =
      torch::randn({options.batch_size, model.shape.channels, model.shape.side, model.shape.side});
  const torch::Tensor labels = torch::randint(model.shape.classes, {options.batch_size}, torch::kInt64);
  std::vector<std::vector<planner::LayerTime>> passes;
  for (int pass = 0; pass <= options.passes; ++pass) {
    TimedPass timed(model.graph.layers.size());
    Layers layers(weights.tensors(), weights.buffer_tensors(), true, model.layers, &timed);
    const torch::Tensor scores = model.forward(layers, images, model.shape.classes);
    timed.go_back(scores, labels);
    if (pass > 0) passes.push_back(timed.times());
  }
  planner::ModelGraph graph = model.graph;
  for (std::size_t layer = 0; layer < graph.layers.size(); ++layer) {
    graph.layers[layer].time = {
        median_of(passes, layer, &planner::LayerTime::forward_s, options.batch_size),
        median_of(passes, layer, &planner::LayerTime::backward_s, options.batch_size)};
  }
  return graph;
}

}  // namespace adarun::trainer
