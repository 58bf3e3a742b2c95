// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

namespace adarun::bench {

inline rusage usage_of_process() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

/// Processor time of this process so far, in seconds.
inline double cpu_s() {
  const rusage usage = usage_of_process();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// The most memory that this process has held, in MiB.
inline double peak_mebibytes() {
  return static_cast<double>(usage_of_process().ru_maxrss) / 1024;
}

}  // namespace adarun::bench
