// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/plot/scene.h"

namespace adarun::monitor::plot {

/// The picture as an SVG document.
std::string svg(const Scene& scene);

}  // namespace adarun::monitor::plot
