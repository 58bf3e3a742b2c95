// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "launcher/plan/job_options.h"
#include "ranktable/model/table.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::launcher {

/// The smallest IPv4 network, such as "10.77.0.0/30", that contains all addresses, so that each node can
/// select its interface by it; "127.0.0.0/8" for loopback addresses. "" if an address is missing or is not
/// IPv4, or if they have no common prefix. A single address gives its /32.
std::string common_network(const std::vector<std::string>& addresses);

/// That of a server_group table. A rank with it has no RANK_TABLE_FILE.
inline constexpr const char* variable_of_groups = "GLOBAL_RANK_TABLE_FILE_PATH";

/// The variable that names the file of a table to a rank: HCCL's RANK_TABLE_FILE, or, for a server_group
/// table, which HCCL does not read, GLOBAL_RANK_TABLE_FILE_PATH, as MindIE and omni-infer call it.
std::string table_variable(const ranktable::AnyTable& table);

/// The index of the server that has rank 0: MASTER_ADDR is its address.
std::size_t server_of_first_rank(const ranktable::Table& table);

/// The variables that identify a rank: HCCL's (RANK_TABLE_FILE RANK_ID RANK_SIZE DEVICE_ID DEVICE_NUM
/// SERVER_ID), PyTorch's (RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK MASTER_ADDR MASTER_PORT),
/// Open MPI's choice of network, and, in a job, adarun's own, with those of its role (job_options.h).
struct RankEnvironment {
  ranktable::Row row;
  std::vector<std::string> variables;  ///< "NAME=VALUE"
  /// "NAME=VALUE", unless the node's own environment sets NAME: one OpenMP thread if a node has several
  /// ranks; Open MPI's yield when idle if several nodes are one machine; its requests for the addresses of
  /// single peers if there are many nodes.
  std::vector<std::string> defaults;
};

/// Makes the environments of all ranks of a table. Keeps no references. `table` must be valid
/// (ranktable::require_valid).
class RankEnvironments {
 public:
  /// For the ranks of a job. `addresses` as make_plan takes them. Throws Error where the roles do not fit.
  RankEnvironments(const ranktable::Table& table, const std::vector<std::string>& addresses,
                   const JobOptions& job, const AttemptOptions& attempt);

  /// For ranks that are started by other means: server_ids serve as the nodes' addresses, there are no
  /// variables of a job, and MASTER_PORT is always the same. `table_variable` as of the table that is read.
  explicit RankEnvironments(const ranktable::Table& table, std::string table_variable = "RANK_TABLE_FILE");

  /// The environments of one node, by rank. `table_file`: the value of the table's variable.
  std::vector<RankEnvironment> of_node(std::size_t node, const std::string& table_file) const;

 private:
  RankEnvironments(const ranktable::Table& table, const std::vector<std::string>& addresses,
                   const std::string& job_id, std::vector<std::string> job_variables);

  std::vector<std::string> variables_of(const ranktable::Row& row, const std::string& table_file) const;
  std::vector<std::string> defaults_of(std::size_t local_size) const;

  std::vector<std::vector<ranktable::Row>> nodes_;  ///< The ranks of each node, by rank.
  std::size_t world_size_;
  std::string master_;  ///< Address of node 0, or its server_id.
  std::string master_port_;
  std::string table_variable_;
  std::string network_;                       ///< As common_network() gives it.
  std::vector<std::string> visible_devices_;  ///< Variables that hold the device of a rank.
  std::vector<std::string> job_variables_;
  std::vector<Role> roles_;
  std::vector<std::uint32_t> role_of_;  ///< Index into `roles_`, by rank.
};

}  // namespace adarun::launcher
