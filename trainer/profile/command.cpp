// SPDX-License-Identifier: Apache-2.0
#include "trainer/profile/command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/manual/help_format.h"
#include "ranktable/write.h"
#include "trainer/base/error.h"
#include "trainer/base/whole_number_option.h"
#include "trainer/models/models.h"
#include "trainer/planner/json/graph_json.h"
#include "trainer/profile/layer_times.h"

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
