// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ranktable/json/document.h"
#include "ranktable/model/finding.h"
#include "ranktable/model/table.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/base/conversion.h"
#include "ranktable/schemas/base/group_list.h"

namespace adarun::ranktable {

/// A pod of a cloud job: devices of one server.
struct CloudInstance {
  std::string pod_name;  ///< Unique in the table.
  std::string server_id;
  std::vector<GroupListDevice> devices;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.text("pod_name", pod_name);
    archive.text("server_id", server_id);
    archive.list("devices", devices);
    list_other_node_fields(archive);
  }

  bool operator==(const CloudInstance&) const = default;
};

struct CloudGroup;

/// The number of devices in all instances of a group.
std::size_t device_count(const CloudGroup& group);

struct CloudGroup {
  std::string group_name;
  std::vector<CloudInstance> instances;
  std::vector<Extra> extras = {};
  /// The counts in the file, if wrong; never written.
  std::optional<std::string> wrong_instance_count = std::nullopt;
  std::optional<std::string> wrong_device_count = std::nullopt;

  void fields(auto& archive) {
    archive.text("group_name", group_name, Presence::optional);
    archive.read_later([this](auto& later) {
      later.count("instance_count", wrong_instance_count, instances.size());
      later.count("device_count", wrong_device_count, device_count(*this));
    });
    archive.list("instance_list", instances);
    archive.of_other_tools({"device_num", "server_num", "server_list"});
  }

  bool operator==(const CloudGroup&) const = default;
};

/// A table with a group_list and no deploy_mode, as written by job schedulers. All scalars are strings. It
/// has no ranks: HCCL assigns them by server_id in byte order, then by device_id.
struct CloudTable {
  std::string status = "completed";
  std::vector<CloudGroup> groups;
  std::vector<Extra> extras = {};
  std::optional<std::string> wrong_group_count = std::nullopt;

  void fields(auto& archive) {
    archive.text("status", status);
    archive.read_later([this](auto& later) { later.count("group_count", wrong_group_count, groups.size()); });
    archive.list("group_list", groups);
    archive.of_other_tools({"board_id", "chip_info"});
  }

  bool operator==(const CloudTable&) const = default;
};

// The functions of every schema: see schemas.h.

/// Whether it has a group_list, no version and no deploy_mode.
bool is_cloud(JsonValue root);

std::size_t device_count(const CloudTable& table);

/// The number of distinct servers of its instances.
std::size_t server_count(const CloudTable& table);

void check(const CloudTable& table, const ValidateOptions& options, Findings& findings);
std::vector<SchemaField> facts_of(const CloudTable& table);

/// Removes also instances and groups left without a device.
void keep(CloudTable& table, const KeptDevices& kept);

/// The ranks that HCCL assigns: over all groups, by server_id in byte order, then by device_id. Pods of one
/// server become one server. Servers and devices are in the order of their ranks.
Table as_v1(const CloudTable& table);

/// One pod for each server, named after it, all in one group. Throws Error on a server_id that HCCL does not
/// accept, and if HCCL would give a device of that table another rank.
CloudTable to_cloud(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
