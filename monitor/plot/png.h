// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "monitor/plot/raster.h"

namespace adarun::monitor::plot {

/// The bitmap as a PNG file (8 bits per channel, no transparency). Throws Error if it cannot be compressed.
std::string png(const Bitmap& bitmap);

}  // namespace adarun::monitor::plot
