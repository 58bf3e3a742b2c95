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

/// One device of a lab table; also one rank.
struct LabInstance {
  GroupListDevice device;
  int rank_id = 0;
  std::string server_id;
  std::vector<Extra> extras = {};

  void fields(auto& archive) {
    archive.sole_item("devices", device);
    archive.number_text("rank_id", rank_id);
    archive.text("server_id", server_id);
    list_other_node_fields(archive);
  }

  bool operator==(const LabInstance&) const = default;
};

struct LabGroup;

/// The number of distinct servers of the instances of a group.
std::size_t server_count(const LabGroup& group);

struct LabGroup {
  std::string group_name;
  std::vector<LabInstance> instances;
  std::vector<Extra> extras = {};
  /// The counts in the file, if wrong; never written.
  std::optional<std::string> wrong_device_num = std::nullopt;
  std::optional<std::string> wrong_server_num = std::nullopt;
  std::optional<std::string> wrong_instance_count = std::nullopt;

  void fields(auto& archive) {
    archive.read_later([this](auto& later) {
      later.count("device_num", wrong_device_num, instances.size());
      later.count("server_num", wrong_server_num, server_count(*this));
    });
    archive.text("group_name", group_name, Presence::optional);
    archive.read_later(
        [this](auto& later) { later.count("instance_count", wrong_instance_count, instances.size()); });
    archive.list("instance_list", instances);
    archive.of_other_tools({"server_list"});
  }

  bool operator==(const LabGroup&) const = default;
};

/// The oldest schema: a group_list with deploy_mode, passed in MINDSPORE_HCCL_CONFIG_PATH. All scalars are
/// strings.
struct LabTable {
  std::string board_id = "0x0000";  ///< "0x0000" on x86, "0x0020" on arm.
  std::string chip_info = "910";
  std::string deploy_mode = "lab";
  std::vector<LabGroup> groups;
  std::string para_plane_nic_location = "device";
  std::vector<std::string> para_plane_nic_names;
  std::string status = "completed";
  std::vector<Extra> extras = {};
  std::optional<std::string> wrong_group_count = std::nullopt;
  std::optional<std::string> wrong_nic_num = std::nullopt;

  void fields(auto& archive) {
    archive.text("board_id", board_id);
    archive.text("chip_info", chip_info);
    archive.text("deploy_mode", deploy_mode);
    archive.read_later([this](auto& later) { later.count("group_count", wrong_group_count, groups.size()); });
    archive.list("group_list", groups);
    archive.text("para_plane_nic_location", para_plane_nic_location);
    archive.texts("para_plane_nic_name", para_plane_nic_names);
    archive.count("para_plane_nic_num", wrong_nic_num, para_plane_nic_names.size());
    archive.text("status", status);
  }

  bool operator==(const LabTable&) const = default;
};

// The functions of every schema: see schemas.h.

/// Whether it has a group_list and a deploy_mode, no version.
bool is_lab(JsonValue root);

/// The number of devices: its instances.
std::size_t device_count(const LabTable& table);

/// The number of distinct servers of its instances.
std::size_t server_count(const LabTable& table);

void check(const LabTable& table, const ValidateOptions& options, Findings& findings);
std::vector<SchemaField> facts_of(const LabTable& table);

/// Removes also groups left without a device.
void keep(LabTable& table, const KeptDevices& kept);

/// The ranks of all groups; servers in the order in which instances first name them.
Table as_v1(const LabTable& table);

/// One group, with an instance for each device in the order of `ranks`, and a para_plane_nic_name for each
/// device_id, ascending: "eth0", "eth1", ... Throws Error on a server_id that HCCL does not accept.
LabTable to_lab(const Table& ranks, Additions& additions);

}  // namespace adarun::ranktable
