// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// One device of a lab table; also one rank.
struct LabInstance {
  int device_id = 0;
  std::string device_ip;
  int rank_id = 0;
  std::string server_id;
  std::vector<Extra> device_extras = {};
  std::vector<Extra> extras = {};

  bool operator==(const LabInstance&) const = default;
};

struct LabGroup {
  std::string group_name;
  std::vector<LabInstance> instances;
  std::vector<Extra> extras = {};
  /// The counts in the file, if wrong; never written.
  std::optional<std::string> wrong_device_num = std::nullopt;
  std::optional<std::string> wrong_server_num = std::nullopt;
  std::optional<std::string> wrong_instance_count = std::nullopt;

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

  bool operator==(const LabTable&) const = default;
};

/// The number of devices: its instances.
std::size_t device_count(const LabTable& table);

/// The number of distinct servers of the instances of a group or of the table.
std::size_t server_count(const LabGroup& group);
std::size_t server_count(const LabTable& table);

}  // namespace adarun::ranktable
