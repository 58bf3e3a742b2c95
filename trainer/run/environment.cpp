// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/environment.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/cuda.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

std::optional<int> number(const Lookup& lookup, const std::string& name) {
  const std::optional<std::string> text = lookup(name);
  if (!text) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || value < 0) {
    throw Error(name + "=" + *text + ": wanted a whole number from 0 on", Exit::usage);
  }
  return value;
}

void read_rank(const Lookup& lookup, Environment& environment) {
  const bool ours = lookup("RANK_ID") || lookup("RANK_SIZE");
  const std::string rank_name = ours ? "RANK_ID" : "OMPI_COMM_WORLD_RANK";
  const std::string size_name = ours ? "RANK_SIZE" : "OMPI_COMM_WORLD_SIZE";
  const std::optional<int> rank = number(lookup, rank_name);
  const std::optional<int> size = number(lookup, size_name);
  if (!rank && !size) return;
  if (!size)
    throw Error(rank_name + " is set but " + size_name + " is not: set both or neither", Exit::usage);
  if (*size == 0) throw Error(size_name + "=0: wanted at least 1", Exit::usage);
  if (!rank && *size > 1) {
    throw Error(size_name + "=" + std::to_string(*size) + " but " + rank_name + " is not set", Exit::usage);
  }
  environment.rank = rank.value_or(0);
  environment.world_size = *size;
  if (environment.rank >= *size) {
    throw Error(rank_name + "=" + std::to_string(*rank) + ": wanted less than " + size_name + "=" +
                    std::to_string(*size),
                Exit::usage);
  }
}

[[noreturn]] void refuse_table(const Environment& environment, const std::string& what) {
  throw Error(environment.table_file + ": " + what, Exit::refused);
}

/// This rank is device `device` of `server`, whose number, from 0, is `number`.
void check_place(const Environment& environment, const ranktable::Server& server, int number, int device) {
  const std::string rank = "rank " + std::to_string(environment.rank);
  if (environment.device_id.value_or(device) != device) {
    refuse_table(environment, rank + " is device " + std::to_string(device) + " of server " +
                                  server.server_id +
                                  ", but DEVICE_ID=" + std::to_string(*environment.device_id));
  }
  if (environment.server_id.value_or(number) != number) {
    refuse_table(environment, rank + " is on server " + std::to_string(number) + ", counted from 0 (" +
                                  server.server_id +
                                  "), but SERVER_ID=" + std::to_string(*environment.server_id));
  }
  const int devices = static_cast<int>(server.devices.size());
  if (environment.server_devices.value_or(devices) != devices) {
    refuse_table(environment, "server " + server.server_id + " of " + rank + " has " +
                                  std::to_string(devices) + (devices == 1 ? " device" : " devices") +
                                  ", but DEVICE_NUM=" + std::to_string(*environment.server_devices));
  }
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Environment read_environment(const Lookup& lookup) {
  Environment environment;
  read_rank(lookup, environment);
  environment.device_id = number(lookup, "DEVICE_ID");
  environment.server_id = number(lookup, "SERVER_ID");
  environment.server_devices = number(lookup, "DEVICE_NUM");
  environment.local_rank = number(lookup, "OMPI_COMM_WORLD_LOCAL_RANK");
  environment.table_file =
      lookup("RANK_TABLE_FILE").value_or(lookup("MINDSPORE_HCCL_CONFIG_PATH").value_or(""));
  return environment;
}

void check_table(const Environment& environment, const ranktable::Table& table) {
  const std::size_t devices = ranktable::device_count(table);
  if (devices != static_cast<std::size_t>(environment.world_size)) {
    refuse_table(environment, "has " + std::to_string(devices) + " devices, but the environment says " +
                                  std::to_string(environment.world_size) + " ranks (RANK_SIZE)");
  }
  for (std::size_t s = 0; s < table.servers.size(); ++s) {
    for (const ranktable::Device& device : table.servers[s].devices) {
      if (device.rank_id != environment.rank) continue;
      return check_place(environment, table.servers[s], static_cast<int>(s), device.device_id);
    }
  }
  refuse_table(environment, "has no rank " + std::to_string(environment.rank) + " (RANK_ID)");
}

void check_mpi(const Environment& environment, int mpi_rank, int mpi_size) {
  if (mpi_size == 1 && environment.world_size > 1) {
    throw Error(
        "MPI singleton: the environment says rank " + std::to_string(environment.rank) + " of " +
            std::to_string(environment.world_size) +
            " (RANK_ID, RANK_SIZE), but MPI sees this process alone: it was not started by mpirun or a "
            "launcher with PMIx",
        Exit::refused);
  }
  check_world(environment, "MPI", mpi_rank, mpi_size);
}

void check_world(const Environment& environment, const std::string& source, int rank, int size) {
  if (size != environment.world_size) {
    throw Error(source + " has a world of " + std::to_string(size) + " ranks, but the environment says " +
                    std::to_string(environment.world_size) + " (RANK_SIZE)",
                Exit::refused);
  }
  if (rank != environment.rank) {
    throw Error(source + " calls this process rank " + std::to_string(rank) + ", but the environment says " +
                    std::to_string(environment.rank) + " (RANK_ID)",
                Exit::refused);
  }
}

namespace {

/// Why libtorch has no usable CUDA device; empty: it has one.
std::string reason_for_none() {
  if (!at::CUDAHooksRegistry()->Has("CUDAHooks"))
    return "this libtorch has no CUDA (Debian's computes on processors only)";
  return torch::cuda::is_available() ? "" : "libtorch finds no CUDA device";
}

}  // namespace

std::optional<c10::Device> choose_device(const TrainerOptions& options, int device_id, const Print& print) {
  if (options.device == DeviceChoice::cpu) return std::nullopt;
  if (const std::string reason = reason_for_none(); !reason.empty()) {
    if (options.device == DeviceChoice::cuda)
      throw Error("--device cuda: " + reason + ": wanted --device cpu or auto", Exit::refused);
    print("device: cpu, since " + reason);
    return std::nullopt;
  }
  const std::size_t count = torch::cuda::device_count();
  const auto number = number_of_device(device_id, count, process_environment("CUDA_VISIBLE_DEVICES"));
  if (!number) {
    throw Error(
        "--device: this rank's is number " + std::to_string(device_id) + ", but libtorch finds " +
            std::to_string(count) + " CUDA device" + (count == 1 ? "" : "s") +
            " (DEVICE_ID counts from 0): wanted at most a rank for each device of a node, or --device cpu",
        Exit::refused);
  }
  if (options.bucket_mb > 0) {
    throw Error(
        "--bucket-mb: gradients of a CUDA device are there when its pass has ended: wanted --device cpu",
        Exit::usage);
  }
  const c10::Device device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(*number));
  print("device: " + device.str());
  return device;
}

std::optional<std::size_t> number_of_device(int device_id, std::size_t count,
                                            const std::optional<std::string>& visible) {
  if (count == 1 && visible) return 0;
  const auto number = static_cast<std::size_t>(device_id);
  return number < count ? std::optional(number) : std::nullopt;
}

}  // namespace adarun::trainer
