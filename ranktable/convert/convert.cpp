// SPDX-License-Identifier: Apache-2.0
#include "ranktable/convert.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ranktable/convert/conversions.h"
#include "ranktable/convert/fact.h"
#include "ranktable/convert/invented.h"
#include "ranktable/convert/layers.h"
#include "ranktable/convert/losses.h"
#include "ranktable/convert/recounted.h"
#include "ranktable/error.h"
#include "ranktable/rules/limits.h"
#include "ranktable/server_name.h"

namespace adarun::ranktable {
namespace {

// In the model of version 1.x, which the other schemas come through, a device has one place.
void require_distinct(const Table& ranks) {
  std::set<std::pair<std::string, int>> devices;
  std::set<int> seen;
  for (const Server& server : ranks.servers) {
    for (const Device& device : server.devices) {
      if (!devices.emplace(server.server_id, device.device_id).second)
        throw Error("server " + printable(server.server_id) + ": has device " +
                    std::to_string(device.device_id) + " twice");
      if (!seen.insert(device.rank_id).second)
        throw Error("rank " + std::to_string(device.rank_id) + ": comes twice");
    }
  }
}

// Other schemas know IP addresses alone.
void require_ip_addresses(const RankListTable& table) {
  for (std::size_t i = 0; i < table.ranks.size(); ++i) {
    const RankEntry& rank = table.ranks[i];
    const bool has_addresses = std::any_of(rank.layers.begin(), rank.layers.end(),
                                           [](const NetLayer& layer) { return !layer.addresses.empty(); });
    if (has_addresses && ip_address(rank) == nullptr)
      throw Error(at("$.rank_list", i) +
                  ".level_list: EID addresses alone, wanted an IPV4 or IPV6 one to stand as device_ip");
  }
}

void add_host_nic(Table& ranks, Additions& additions) {
  for (Server& server : ranks.servers) server.host_nic_ip = invented::host_nic_ip;
  additions.push_back(std::string("$.server_list[*].host_nic_ip: \"") + invented::host_nic_ip +
                      "\", as hccl_tools.py writes it");
}

AnyTable written(Table ranks, Schema to, Additions& additions) {
  switch (to) {
    case Schema::v1_0:
    case Schema::v1_2:
      return to_v1(std::move(ranks), to, additions);
    case Schema::v2_0:
      return to_rank_list(ranks, additions);
    case Schema::cloud:
      return to_cloud(ranks, additions);
    case Schema::lab:
      return to_lab(ranks, additions);
  }
  return ranks;
}

}  // namespace

Converted convert(const AnyTable& table, Schema to) {
  const Schema from = schema_of(table);
  if (from == to) return {table, {}, recounted(table)};
  if (const auto* list = std::get_if<RankListTable>(&table)) require_ip_addresses(*list);
  Table ranks = ranks_of(table);
  require_distinct(ranks);
  if (to != Schema::v2_0)
    for (const Server& server : ranks.servers) require_server_id(server.server_id);
  Additions additions = recounted(table);
  const bool to_version_1 = to == Schema::v1_0 || to == Schema::v1_2;
  if (to_version_1 && from != Schema::v1_0 && from != Schema::v1_2) add_host_nic(ranks, additions);
  if (from == Schema::cloud)
    additions.emplace_back("the ranks: HCCL's, by server_id in byte order, then by device_id");
  AnyTable result = written(std::move(ranks), to, additions);
  return {std::move(result), losses(table, to), std::move(additions)};
}

}  // namespace adarun::ranktable
