// SPDX-License-Identifier: Apache-2.0
#include "trainer/device.h"

#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/cuda.h>

#include <string>

#include "trainer/base/error.h"
#include "trainer/environment.h"

namespace adarun::trainer {
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
