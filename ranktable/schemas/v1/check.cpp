// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/v1/check.h"

#include "ranktable/json/path.h"
#include "ranktable/rules/common_fields.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

constexpr Rule super_pods_are_a3s{"version 1.2 is for the super pods of A3", "",
                                  "make it a table of version 1.0: adarun ranktable convert --to 1.0",
                                  Severity::warning};

// 31 is the largest id of all generations that use version 1.x (310P).
constexpr DeviceIdLimit id_to_31{
    31,
    {"device_id must be 0 to 31", "EI0014",
     "write the physical id of the card, as npu-smi info lists them, not its rank"}};

constexpr SchemaForm form_1_0{.name = "1.0",
                              .lists = {"server_list", "device"},
                              .rank_depth = 2,
                              .device_ids = id_to_31,
                              .schema_path = "$.version",
                              .generations = {true, true, true, false}};
constexpr SchemaForm form_1_2{.name = "1.2",
                              .lists = {"server_list", "device"},
                              .rank_depth = 2,
                              .device_ids = id_to_31,
                              .schema_path = "$.version",
                              .generations = {false, false, true, false},
                              .of_other_generations = &super_pods_are_a3s};

// Servers are identified by their position in the table.
DeviceIndex index_of(const Table& table) {
  DeviceIndex index;
  index.form = table.version == "1.2" ? &form_1_2 : &form_1_0;
  index.servers = static_cast<std::uint32_t>(table.servers.size());
  index.entries.reserve(device_count(table));
  for (std::uint32_t i = 0; i < index.servers; ++i) {
    const std::vector<Device>& devices = table.servers[i].devices;
    for (std::uint32_t j = 0; j < devices.size(); ++j)
      index.entries.push_back({i, devices[j].device_id, devices[j].rank_id, devices[j].device_ip, {i, j, 0}});
  }
  return index;
}

}  // namespace

std::string path_of(std::size_t server) {
  return item_path("$.server_list", server);
}

std::string path_of(std::size_t server, std::size_t device) {
  return item_path(path_of(server) + ".device", device);
}

void check(const Table& table, const ValidateOptions& options, Findings& findings) {
  const DeviceIndex index = index_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_servers(table, findings);
  check_super_pods(table, findings);
  check_optional_fields(table, findings);
  check_device_ids(index, findings);
  check_ranks(index, findings);
  check_addresses(index, options, findings);
  check_generations(index, options, findings);
  advise_equal_pods(table, options, findings);
  check_profile(index, options, findings);
}

}  // namespace adarun::ranktable
