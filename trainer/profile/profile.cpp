// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/profile.h"

#include <torch/types.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "adasum/kernels/arrays.h"
#include "adasum/kernels/rows.h"
#include "base/manual/help_format.h"
#include "base/median.h"
#include "ranktable/write.h"
#include "trainer/base/error.h"
#include "trainer/base/whole_number_option.h"
#include "trainer/models/models.h"
#include "trainer/models/weights.h"
#include "trainer/optimizers/optimizer.h"
#include "trainer/parallel/cross_entropy.h"
#include "trainer/parallel/whole_tensors.h"
#include "trainer/planner/json/graph_json.h"
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

namespace adarun::trainer::profile {
namespace {

struct CommandOptions {
  std::string model = "mlp";
  std::optional<int> image_size;
  int channels = 3;
  int classes = 10;
  bool no_times = false;
  std::string out;
  ProfileOptions profile;
};

constexpr const char* description = "Measures the layers of a model, for adarun plan.";

void declare(CLI::App& app, CommandOptions& options) {
  app.formatter(std::make_shared<manual::HelpFormat>());
  app.add_option("--model", options.model)->check(CLI::IsMember(model_names()))->capture_default_str();
  add_whole_number(app, "--image-size", options.image_size, {1, 4096},
                   "Rows and columns of an image (default: the model's)");
  app.add_option("--channels", options.channels, "Of an image: 1 grey, 3 colour")
      ->check(CLI::IsMember({1, 3}))
      ->capture_default_str();
  add_whole_number(app, "--num-classes", options.classes, {1, 1 << 24})->capture_default_str();
  add_whole_number(app, "--batch-size", options.profile.batch_size, {1, 1 << 16}, "Images of a pass")
      ->capture_default_str();
  add_whole_number(app, "--passes", options.profile.passes, {1, 10'000},
                   "That are measured; their median is taken")
      ->capture_default_str();
  add_whole_number(app, "--parts", options.profile.parts, {1, 1024},
                   "Measure layers in 2, 4, ... parts too, up to N, with as many times more images")
      ->capture_default_str();
  app.add_flag("--no-times", options.no_times, "Only sizes, without a pass");
  app.add_option(
      "--out,-o", options.out,
      "File to write; a table is then printed, in microseconds of a sample, and the time of a weight "
      "(default: stdout)");
  app.footer(R"(Examples:
  adarun-trainer profile --model resnet50 --batch-size 8 -o resnet50.json
  adarun-trainer profile --model wide_mlp --parts 4 -o wide_mlp.json
  adarun plan --ranks 16 --model resnet50.json)");
}

void print_table(const planner::ModelGraph& graph) {
  std::printf("%-24s %12s %12s %12s\n", "layer", "weights", "forward us", "backward us");
  for (const planner::Layer& layer : graph.layers) {
    const planner::LayerTime time = layer.time.value_or(planner::LayerTime{});
    std::printf("%-24s %12lld %12.1f %12.1f\n", layer.name.c_str(),
                static_cast<long long>(layer.weights + layer.vectors), 1e6 * time.forward_s,
                1e6 * time.backward_s);
  }
  if (graph.weight_time)
    std::printf("\na weight in a step: momentum %.2f ns, AdaSum %.2f ns\n", 1e9 * graph.weight_time->update_s,
                1e9 * graph.weight_time->combine_s);
}

void write_profile(const CommandOptions& options) {
  const int side = options.image_size.value_or(default_side(options.model));
  const Model model = model_named(options.model, {options.channels, side, options.classes});
  planner::ModelGraph graph = options.no_times ? model.graph : measure_layers(model, options.profile);
  if (!options.no_times) graph.weight_time = measure_weight_time(model, options.profile.passes);
  const std::string text = planner::write_graph(graph);
  if (options.out.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  ranktable::write_file(options.out, text);
  std::fprintf(stderr, "adarun-trainer: wrote %s\n", options.out.c_str());
  print_table(graph);
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app(description, "adarun-trainer profile");
  CommandOptions options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& shown) {
    return app.exit(shown);
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + " (see adarun-trainer profile --help)", Exit::usage);
  }
  write_profile(options);
  return 0;
}

std::vector<manual::Page> man_pages() {
  CLI::App app(description, "adarun-trainer profile");
  CommandOptions options;
  declare(app, options);
  return manual::man_pages(app, [](const std::string&) { return false; });
}

}  // namespace adarun::trainer::profile
