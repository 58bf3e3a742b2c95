// SPDX-License-Identifier: Apache-2.0
#include "cli/jobs/job_id.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <random>

namespace adarun::cli {

std::string new_job_id() {
  std::array<char, 32> stamp{};
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(stamp.data(), stamp.size(), "%Y%m%d-%H%M%S", &local);
  std::array<char, 8> tail{};  // "-", six digits: jobs may share an index and start in the same second
  std::snprintf(tail.data(), tail.size(), "-%06x", std::random_device()() & 0xffffffU);
  return std::string(stamp.data()) + tail.data();
}

}  // namespace adarun::cli
