// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/picture.h"

#include "monitor/plot/png.h"
#include "monitor/plot/raster.h"
#include "monitor/plot/svg.h"

namespace adarun::monitor::plot {
namespace {

constexpr double png_scale = 2;  // For high-resolution screens and print.

}  // namespace

std::string picture_problem(const std::string& name) {
  if (name.ends_with(".svg") || name.ends_with(".png")) return {};
  return "\"" + name + "\": wanted a name that ends in .svg or .png";
}

std::string picture(const Scene& scene, const std::string& name) {
  return name.ends_with(".svg") ? svg(scene) : png(rasterise(scene, png_scale));
}

}  // namespace adarun::monitor::plot
