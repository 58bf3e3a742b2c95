// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/plan_picture.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/clean_text.h"
#include "cli/console/print.h"

namespace adarun::cli {
namespace {

namespace plot = monitor::plot;

constexpr double margin = 16;
constexpr double line_height = 22;
constexpr double square_side = 16;
constexpr double name_x = margin + 28;
constexpr double strategy_x = name_x + 150;
constexpr double bar_x = strategy_x + 130;
constexpr double bar_width = 460;
constexpr double header_height = 70;
constexpr double text_size = 12;
constexpr std::size_t most_name = 20;
constexpr std::int64_t most_drawn_parts = 8;

constexpr plot::Color black{33, 33, 33};
constexpr plot::Color light{198, 219, 239};
constexpr plot::Color dark{66, 146, 198};

/// What a step's time goes into.
struct TimeKind {
  const char* name;
  plot::Color color;
  double (*seconds)(const planner::PlannedLayer& layer);
};

const TimeKind time_kinds[] = {
    {"compute", {120, 120, 120}, [](const planner::PlannedLayer& layer) { return layer.cost.compute_s; }},
    {"sums",
     {49, 130, 189},
     [](const planner::PlannedLayer& layer) {
       return layer.cost.outputs.seconds + layer.cost.inputs.seconds;
     }},
    {"redistribution",
     {230, 150, 40},
     [](const planner::PlannedLayer& layer) { return layer.change.seconds; }},
    {"gradients",
     {200, 60, 60},
     [](const planner::PlannedLayer& layer) { return layer.cost.gradients.seconds; }},
    {"update", {120, 90, 160}, [](const planner::PlannedLayer& layer) { return layer.cost.update_s; }}};

class PlanPicture {
 public:
  explicit PlanPicture(const planner::PlanReport& report) : report_(report) {
    for (const planner::PlannedLayer& layer : report.plan.layers)
      longest_ = std::max(longest_, layer.seconds());
    longest_step_ = std::max(report.plan.seconds(), report.data_parallel.seconds());
  }

  plot::Scene draw() {
    const planner::ParallelPlan& plan = report_.plan;
    scene_.width = static_cast<int>(bar_x + bar_width + 110);
    scene_.height =
        static_cast<int>(header_height + line_height * static_cast<double>(plan.layers.size() + 3) + margin);
    text({margin, margin + 12},
         base::clean_line(plan.model) + " on " + std::to_string(plan.ranks) + " ranks, " +
             std::to_string(plan.batch) + " samples each: where the time of a step goes",
         15);
    draw_legend();
    double y = header_height;
    for (const planner::PlannedLayer& layer : plan.layers) {
      draw_layer(layer, y);
      y += line_height;
    }
    y += line_height / 2;
    draw_step("this plan", plan, y);
    draw_step("data parallel", report_.data_parallel, y + line_height);
    return std::move(scene_);
  }

 private:
  void text(plot::PixelPoint at, const std::string& words, double size = text_size) {
    scene_.shapes.emplace_back(plot::TextLabel{at, words, black, size, plot::Align::left});
  }

  void block(double x, double y, double width, double height, const plot::Color& color) {
    scene_.shapes.emplace_back(
        plot::Area{{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}, color});
  }

  void draw_legend() {
    double x = strategy_x;
    for (const TimeKind& kind : time_kinds) {
      block(x, margin + 26, 12, 12, kind.color);
      text({x + 18, margin + 36}, kind.name);
      x += 132;
    }
  }

  void draw_layer(const planner::PlannedLayer& layer, double y) {
    draw_split(layer.strategy, y);
    std::string name = base::clean_line(layer.name);
    if (name.size() > most_name) name = ".." + name.substr(name.size() - most_name + 2);
    text({name_x, y + 13}, name);
    text({strategy_x, y + 13}, planner::describe(layer.strategy));
    draw_bar({&layer, 1}, longest_, y);
  }

  // The first part dark, the others light.
  void draw_split(const planner::Strategy& strategy, double y) {
    const std::int64_t parts =
        strategy.split == planner::LayerSplit::none ? 1 : std::min(strategy.parts, most_drawn_parts);
    const double size = square_side / static_cast<double>(parts);
    for (std::int64_t part = 0; part < parts; ++part) {
      const double at = size * static_cast<double>(part);
      const plot::Color& color = part == 0 ? dark : light;
      if (strategy.split == planner::LayerSplit::inputs)
        block(margin, y + at, square_side, size - 0.5, color);
      else
        block(margin + at, y, size - 0.5, square_side, color);
    }
  }

  void draw_step(const std::string& name, const planner::ParallelPlan& plan, double y) {
    text({name_x, y + 13}, name);
    draw_bar(plan.layers, longest_step_, y);
  }

  void draw_bar(std::span<const planner::PlannedLayer> layers, double longest, double y) {
    double x = bar_x;
    double sum = 0;
    for (const TimeKind& kind : time_kinds) {
      double seconds = 0;
      for (const planner::PlannedLayer& layer : layers) seconds += kind.seconds(layer);
      sum += seconds;
      const double width = longest > 0 ? bar_width * seconds / longest : 0;
      if (width > 0) block(x, y + 1, width, square_side - 2, kind.color);
      x += width;
    }
    text({x + 6, y + 13}, with_digits(sum < 1 ? "%.2f ms" : "%.0f ms", 1e3 * sum));
  }

  const planner::PlanReport& report_;
  double longest_ = 0;
  double longest_step_ = 0;
  plot::Scene scene_;
};

}  // namespace

plot::Scene plan_picture(const planner::PlanReport& report) {
  return PlanPicture(report).draw();
}

}  // namespace adarun::cli
