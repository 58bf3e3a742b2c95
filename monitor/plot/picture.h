// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/plot/scene.h"

namespace adarun::monitor::plot {

/// Why no picture can be written to a file of this name; empty: one can, it ends in .svg or .png.
std::string picture_problem(const std::string& name);

/// The picture as a file of the kind that its name says.
std::string picture(const Scene& scene, const std::string& name);

}  // namespace adarun::monitor::plot
