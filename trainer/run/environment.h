// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "ranktable/model/table.h"
#include "trainer/base/log_lines.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// The environment's information about this process and its job.
struct Environment {
  int rank = 0;
  int world_size = 1;
  std::optional<int> device_id;
  std::string table_file;                            ///< Empty: none.
  std::optional<int> server_id = std::nullopt;       ///< The index of this server in the job, from 0.
  std::optional<int> server_devices = std::nullopt;  ///< The number of devices of the job on this server.
  std::optional<int> local_rank = std::nullopt;      ///< Among the ranks of this server, if set by mpirun.

  /// The index of this rank's device on this server.
  int device() const { return device_id.value_or(local_rank.value_or(0)); }

  bool operator==(const Environment&) const = default;
};

/// The value of an environment variable, or nothing.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

/// getenv(); an empty variable counts as unset.
std::optional<std::string> process_environment(const std::string& name);

/// Reads RANK_ID, RANK_SIZE, DEVICE_ID, SERVER_ID, DEVICE_NUM (of this server) and RANK_TABLE_FILE, or the
/// older MINDSPORE_HCCL_CONFIG_PATH if that is unset. If RANK_ID and RANK_SIZE are both unset, uses
/// OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE, so that mpirun works; without these too, this process is
/// the only rank. Throws Error (usage) if a value is not a number or out of range, or if only one of a pair
/// is set.
Environment read_environment(const Lookup& lookup);

/// Throws Error (refused) if the table at environment.table_file has another world size, lacks this rank, or
/// lists it with another device, another server, or a server with another number of devices. Servers count
/// from 0 in the order of the table.
void check_table(const Environment& environment, const ranktable::Table& table);

/// Throws Error (refused) if MPI reports another rank or world size, in particular a world of one process: a
/// singleton, not started by mpirun or a launcher with PMIx.
void check_mpi(const Environment& environment, int mpi_rank, int mpi_size);

/// Throws Error (refused), naming `source`, if it reports another rank or world size than the environment.
void check_world(const Environment& environment, const std::string& source, int rank, int size);

/// The device that options.device selects, number `device_id` of this node; nothing for the CPU. Prints which
/// one it is, or with DeviceChoice::automatic why there is none. Throws Error: refused if libtorch has no
/// such device, usage if other options do not work with it.
std::optional<c10::Device> choose_device(const TrainerOptions& options, int device_id, const Print& print);

/// The number that libtorch gives to device `device_id` of a node where it finds `count` of them: 0 if
/// `visible` (CUDA_VISIBLE_DEVICES) leaves the rank one alone, else the same. Nothing if there is no such
/// one.
std::optional<std::size_t> number_of_device(int device_id, std::size_t count,
                                            const std::optional<std::string>& visible);

}  // namespace adarun::trainer
