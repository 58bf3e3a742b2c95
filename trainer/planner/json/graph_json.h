// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "trainer/planner/model/graph.h"

namespace adarun::planner {

/// The largest model that is read.
inline constexpr std::size_t most_layers = 10'000;

/// The largest file that is read, of models, costs and plans.
inline constexpr std::size_t most_file_bytes = std::size_t{64} << 20U;

/// A model as a JSON file, schema "adarun-model-1": {"schema", "model", "image_channels", "image_values",
/// "update_s", "combine_s", "layers": [...]}. A layer has the members of planner::Layer; its inputs are names
/// of earlier layers, none for the images; "forward_s" and "backward_s" if its time was measured, "update_s"
/// and "combine_s" if that of a weight was.
std::string write_graph(const ModelGraph& graph);

/// Reads it; `name` is that of the file. Throws Error.
ModelGraph read_graph(const std::string& text, const std::string& name);

}  // namespace adarun::planner
