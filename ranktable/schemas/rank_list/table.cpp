// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/rank_list/table.h"

#include <string_view>
#include <unordered_set>

#include "ranktable/schemas/base/count_lines.h"
#include "ranktable/schemas/rank_list/layers.h"
#include "ranktable/schemas/rank_list/schema.h"

namespace adarun::ranktable {

std::size_t device_count(const RankListTable& table) {
  return table.ranks.size();
}

std::size_t server_count(const RankListTable& table) {
  std::unordered_set<std::string_view> ids;
  for (const RankEntry& rank : table.ranks)
    for (const NetLayer& layer : rank.layers)
      if (layer.net_layer == server_layer) ids.insert(layer.net_instance_id);
  return ids.size();
}

std::vector<std::string> corrected_counts(const RankListTable& table) {
  CountLines lines;
  if (table.wrong_rank_count)
    lines.add("$.rank_count", std::to_string(*table.wrong_rank_count), table.ranks.size());
  return lines.take();
}

void keep(RankListTable& table, const KeptDevices& kept) {
  keep_if(table.ranks, [&kept](const RankEntry& rank) {
    return kept.has(find_layer(rank, server_layer)->net_instance_id, rank.device_id);
  });
  for (RankEntry& rank : table.ranks) rank.rank_id = kept.new_rank(rank.rank_id);
  table.wrong_rank_count.reset();
}

}  // namespace adarun::ranktable
