// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "ranktable/model/table.h"

namespace adarun::trainer {

/// What the environment says about this process and its job.
struct Environment {
  int rank = 0;
  int world_size = 1;
  std::optional<int> device_id;
  std::string table_file;                            ///< Empty: none.
  std::optional<int> server_id = std::nullopt;       ///< Which server of the job this is, from 0.
  std::optional<int> server_devices = std::nullopt;  ///< Devices of the job on this server.
  std::optional<int> local_rank = std::nullopt;      ///< Among the ranks of this server, where mpirun says.

  /// Which device of this server is this rank's.
  int device() const { return device_id.value_or(local_rank.value_or(0)); }

  bool operator==(const Environment&) const = default;
};

/// The value of an environment variable, or nothing.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// getenv(); a variable that is empty counts as unset.
std::optional<std::string> process_environment(const std::string& name);

/// RANK_ID, RANK_SIZE, DEVICE_ID, SERVER_ID, DEVICE_NUM (of this server) and RANK_TABLE_FILE, for which the
/// older MINDSPORE_HCCL_CONFIG_PATH stands in. Where RANK_ID and RANK_SIZE are both unset,
/// OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE stand in, so that mpirun will do; without those too, this
/// process is alone. Throws Error (usage) on what is no number, out of range, or there only in part.
Environment read_environment(const Lookup& lookup);

/// Throws Error (refused) where the table at environment.table_file has another world size, lacks this rank,
/// or gives it another device, another server, or a server with another number of devices. Servers count from
/// 0 in the order of the table.
void check_table(const Environment& environment, const ranktable::Table& table);

/// Throws Error (refused) where MPI has another idea of this rank or of the world, above all where it knows
/// of one process only: a singleton, not started by anything that speaks PMIx.
void check_mpi(const Environment& environment, int mpi_rank, int mpi_size);

}  // namespace adarun::trainer
