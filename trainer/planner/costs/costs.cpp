// SPDX-License-Identifier: Apache-2.0
#include "trainer/planner/costs/costs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "trainer/planner/model/strategy.h"
#include "trainer/planner/model/transfers.h"

namespace adarun::planner {
namespace {

constexpr double value_bytes = sizeof(float);  // of a weight, a gradient or an activation

// A layer's new gradients: as oneDNN lays them out, and from there as the weights are.
constexpr double workspace_copies = 2;

// Of a weight, where its times are not measured. Step: w -= rate v, and two for each number the optimizer
// keeps. AdaSum of two gradients: three dot products, and the sum of both with their coefficients.
constexpr double step_operations = 2;
constexpr double slot_operations = 2;
constexpr double combine_operations = 3 * 2 + 3;

// Of split class scores the ranks of a replica gather for each sample the largest one, then three sums.
constexpr double score_bytes = 4 * value_bytes;

/// The part of `channels` that the rank with most of them has.
double share(std::int64_t channels, std::int64_t parts) {
  return static_cast<double>(largest_part(channels, parts)) / static_cast<double>(channels);
}

/// The part of the input channels of layer `l` that a rank takes.
double part_taken(const ModelGraph& graph, std::size_t l, const Strategy& strategy) {
  const bool takes_part = input_layout(graph.layers[l], strategy).channels == Channels::part;
  return takes_part ? share(graph.in_channels(l), strategy.parts) : 1;
}

/// The part of the output channels of `layer` that a rank gives.
double part_given(const Layer& layer, const Strategy& strategy) {
  const bool gives_part = output_layout(strategy).channels == Channels::part;
  return gives_part ? share(layer.out_channels, strategy.parts) : 1;
}

/// The time of a sample in `share` of a layer: as measured for so many parts, or for fewer, then less by
/// their number; else that of the whole layer times its share.
double seconds_of_sample(const Layer& layer, const Strategy& strategy, double share,
                         const ClusterSetting& setting) {
  const PartTime* nearest = nullptr;
  for (const PartTime& measured : layer.part_times) {
    const bool fits = measured.split == strategy.split && measured.parts <= strategy.parts;
    if (fits && (nearest == nullptr || measured.parts > nearest->parts)) nearest = &measured;
  }
  if (nearest != nullptr)
    return nearest->time.seconds() * static_cast<double>(nearest->parts) /
           static_cast<double>(strategy.parts);
  if (layer.time) return layer.time->seconds() * share;
  // Backward: of the input, and of the weights.
  return 3 * layer.operations / setting.operations_per_s * share;
}

/// The time that a weight takes in a step, with as many replicas.
double seconds_of_weight(const ModelGraph& graph, std::int64_t replicas, const ClusterSetting& setting) {
  const double of_slots = slot_operations * static_cast<double>(setting.optimizer_slots);
  const WeightTime time =
      graph.weight_time.value_or(WeightTime{(step_operations + of_slots) / setting.operations_per_s,
                                            combine_operations / setting.operations_per_s});
  if (setting.reduce == GradientReduce::mean) return time.update_s;
  // In halves: of a half, a quarter, ... Up to 16 at once, as the engine does it, take about as long: there
  // are more products, and each value is read from memory once.
  return time.update_s + time.combine_s * (1 - 1 / static_cast<double>(replicas));
}

Communication communication(Traffic traffic, const LinkLevels& links) {
  const double time = seconds(traffic, links);
  return {std::move(traffic), time};
}

/// Of the batch of a step, whose parts are sent pass by pass.
Communication of_passes(Traffic traffic, const ClusterSetting& setting) {
  for (Traffic::OfLevel& level : traffic.levels) level.messages *= setting.passes;
  return communication(std::move(traffic), setting.links);
}

Communication gradient_reduction(const StridedRanks& replicas, double bytes, const ClusterSetting& setting) {
  if (setting.reduce == GradientReduce::adasum)
    return communication(halving_allreduce(replicas, bytes, setting.links), setting.links);
  Traffic ring = ring_allreduce(replicas, bytes, setting.links);
  const double time = seconds(ring, setting.links, replicas.stride);
  return {std::move(ring), time};
}

/// Whether no replica has a part of a unit of a level and a part of another one.
bool fits(const ActivationLayout& layout, const LinkLevel& level) {
  return level.ranks % layout.parts == 0 || layout.parts % level.ranks == 0;
}

/// Ranks among which is the one that takes most from others. Ranges differ by one at most, and ranks 0 and
/// the last have most and fewest; in both layouts these two hold the same channels, where that can be, and
/// rank 1 does not. Where replicas and units of a level do not fit, the ranks beside the ends of units have
/// fewer near ones.
std::vector<std::int64_t> ranks_to_compare(const ActivationLayout& from, const ActivationLayout& to,
                                           const ClusterSetting& setting) {
  std::vector<std::int64_t> ranks = {0, 1, setting.ranks - 1};
  for (const LinkLevel& level : setting.links) {
    if (fits(from, level) && fits(to, level)) continue;
    for (const std::int64_t end : {level.ranks, 2 * level.ranks}) ranks.insert(ranks.end(), {end - 1, end});
  }
  std::erase_if(ranks, [&](std::int64_t rank) { return rank >= setting.ranks; });
  return ranks;
}

/// What the rank that takes most from others takes.
Communication taken(const ActivationLayout& from, const ActivationLayout& to, const Extent& extent,
                    double bytes, const ClusterSetting& setting) {
  Communication most{Traffic{std::vector<Traffic::OfLevel>(setting.links.size())}};
  for (const std::int64_t rank : ranks_to_compare(from, to, setting)) {
    Traffic traffic{std::vector<Traffic::OfLevel>(setting.links.size())};
    for_each_incoming(from, to, extent, rank, [&](std::int64_t peer, const TensorBlock& block) {
      if (peer == rank) return;
      Traffic::OfLevel& level = traffic.levels[level_between(rank, peer, setting.links)];
      ++level.messages;
      level.bytes +=
          bytes * static_cast<double>(block.samples.size()) * static_cast<double>(block.channels.size());
    });
    Communication of_rank = of_passes(std::move(traffic), setting);
    if (of_rank.seconds > most.seconds || rank == 0) most = std::move(of_rank);
  }
  return most;
}

}  // namespace

Communication& Communication::operator+=(const Communication& other) {
  traffic.levels.resize(std::max(traffic.levels.size(), other.traffic.levels.size()));
  for (std::size_t l = 0; l < other.traffic.levels.size(); ++l) {
    traffic.levels[l].messages += other.traffic.levels[l].messages;
    traffic.levels[l].bytes += other.traffic.levels[l].bytes;
  }
  seconds += other.seconds;
  return *this;
}

LayerCost cost(const ModelGraph& graph, std::size_t l, const Strategy& strategy,
               const ClusterSetting& setting) {
  const Layer& layer = graph.layers[l];
  const double in_part = part_taken(graph, l, strategy);
  const double out_part = part_given(layer, strategy);
  const double samples = static_cast<double>(setting.samples()) / static_cast<double>(strategy.replicas);
  const double in_values = static_cast<double>(graph.in_channels(l) * graph.in_values(l));
  const double out_values = static_cast<double>(layer.out_channels * layer.out_values);
  const double kept_values = static_cast<double>(layer.out_channels * layer.kept_values);
  const double of_weights = layer.kind == LayerKind::sum ? out_part : in_part * out_part;
  const double weights =
      static_cast<double>(layer.weights) * of_weights + static_cast<double>(layer.vectors) * out_part;

  LayerCost cost;
  cost.compute_s = samples * seconds_of_sample(layer, strategy, of_weights, setting);
  cost.update_s = weights * seconds_of_weight(graph, strategy.replicas, setting);
  const StridedRanks replica{strategy.parts, 1};
  if (strategy.split == LayerSplit::inputs)
    cost.outputs =
        of_passes(direct_allreduce(replica, samples * out_values * value_bytes, setting.links), setting);
  // Two allgathers send what an allreduce of half the gathered bytes would.
  if (strategy.split == LayerSplit::outputs && l + 1 == graph.layers.size())
    cost.outputs =
        of_passes(direct_allreduce(replica, samples * score_bytes * static_cast<double>(strategy.parts) / 2,
                                   setting.links),
                  setting);
  if (strategy.split == LayerSplit::outputs && layer.kind != LayerKind::sum && !layer.inputs.empty())
    cost.inputs =
        of_passes(direct_allreduce(replica, samples * in_values * value_bytes, setting.links), setting);
  if (weights > 0)
    cost.gradients = gradient_reduction({strategy.replicas, strategy.parts}, weights * value_bytes, setting);
  cost.state_bytes = weights * value_bytes * static_cast<double>(2 + setting.optimizer_slots);
  cost.workspace_bytes = weights * value_bytes * workspace_copies;
  // A sum needs none of its inputs for the backward pass.
  const double kept_inputs = layer.kind == LayerKind::sum ? 0 : in_values * in_part;
  const double of_pass = samples / static_cast<double>(setting.passes);
  cost.kept_bytes = of_pass * value_bytes * (kept_inputs + kept_values * out_part);
  return cost;
}

Communication change_cost(const ModelGraph& graph, std::size_t l, const ActivationLayout& from,
                          const ActivationLayout& to, const ClusterSetting& setting) {
  const Layer& layer = graph.layers[l];
  const Extent extent{setting.samples(), layer.out_channels};
  const double bytes = value_bytes * static_cast<double>(layer.result_values);
  Communication change = taken(from, to, extent, bytes, setting);
  change += taken(to, from, extent, bytes, setting);
  return change;
}

}  // namespace adarun::planner
