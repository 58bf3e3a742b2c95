// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/model/strategy.h"

namespace adarun::planner {

ActivationLayout input_layout(const Layer& layer, const Strategy& strategy) {
  const LayerSplit split_of_part = layer.kind == LayerKind::sum ? LayerSplit::outputs : LayerSplit::inputs;
  return {strategy.replicas, strategy.parts,
          strategy.split == split_of_part ? Channels::part : Channels::all};
}

ActivationLayout output_layout(const Strategy& strategy) {
  return {strategy.replicas, strategy.parts,
          strategy.split == LayerSplit::outputs ? Channels::part : Channels::all};
}

std::string describe(const Strategy& strategy) {
  if (strategy.parts == 1) return "data " + std::to_string(strategy.replicas);
  const std::string mesh = std::to_string(strategy.replicas) + "x" + std::to_string(strategy.parts);
  switch (strategy.split) {
    case LayerSplit::outputs:
      return "outputs " + mesh;
    case LayerSplit::inputs:
      return "inputs " + mesh;
    case LayerSplit::none:
      break;
  }
  return "replicated " + mesh;
}

std::vector<Strategy> strategies(const ModelGraph& graph, std::size_t l, std::int64_t ranks) {
  const Layer& layer = graph.layers[l];
  const bool takes_inputs = layer.kind != LayerKind::sum && !layer.inputs.empty();
  std::vector<Strategy> all;
  for (std::int64_t parts = 1; parts <= ranks; ++parts) {
    if (ranks % parts != 0) continue;
    const std::int64_t replicas = ranks / parts;
    all.push_back({replicas, parts, LayerSplit::none});
    if (parts == 1) continue;
    if (parts <= layer.out_channels) all.push_back({replicas, parts, LayerSplit::outputs});
    if (takes_inputs && parts <= graph.in_channels(l)) all.push_back({replicas, parts, LayerSplit::inputs});
  }
  return all;
}

}  // namespace adarun::planner
