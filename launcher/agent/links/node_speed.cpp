// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/node_speed.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include "base/system_text.h"
#include "launcher/agent/base/error.h"
#include "launcher/agent/base/pipe.h"
#include "launcher/agent/links/core_speed.h"
#include "launcher/agent/ranks/cpu_topology.h"

namespace adarun::launcher::agent {
namespace {

constexpr std::chrono::milliseconds measured_time{50};

struct Speed {
  double copied_bytes_per_s = 0;
  double operations_per_s = 0;
};

[[noreturn]] void measure_in_child(const Pipe& results, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  try {
    const Speed speed{copied_bytes_per_s(measured_time), operations_per_s(measured_time)};
    ::_exit(::write(results.write.get(), &speed, sizeof speed) == sizeof speed ? 0 : 1);
  } catch (...) {  // No memory.
    ::_exit(1);
  }
}

// All at once; each writes its result in one piece.
std::vector<Speed> measure_processes(std::size_t processes) {
  Pipe results = make_pipe();
  const pid_t self = ::getpid();
  std::size_t started = 0;
  for (; started < processes; ++started) {
    const pid_t child = ::fork();
    if (child == 0) measure_in_child(results, self);
    if (child < 0) break;
  }
  const int error = errno;
  results.write.reset();
  std::vector<Speed> speeds;
  for (Speed speed; ::read(results.read.get(), &speed, sizeof speed) == sizeof speed;)
    speeds.push_back(speed);
  for (std::size_t i = 0; i < started; ++i) ::wait(nullptr);
  if (speeds.size() < processes)
    throw Error("a process that measures: " +
                (started < processes ? base::system_text(error) : "has failed"));
  return speeds;
}

// A core and another one; the same if there is only one.
CorePairCosts between(const Cpus& a, const Cpus& b) {
  return measure_core_pair(a.front(), b.back());
}

}  // namespace

std::vector<std::uint64_t> measure_node_speed(std::size_t processes) {
  const Cpus cpus = own_cpus();
  if (cpus.empty()) throw Error("the CPUs of this node are not known");
  const CpuTopology topology = read_cpu_topology("/sys/devices/system", cpus);
  Speed sum;
  const std::vector<Speed> speeds = measure_processes(std::clamp<std::size_t>(processes, 1, cpus.size()));
  for (const Speed& speed : speeds) {
    sum.copied_bytes_per_s += speed.copied_bytes_per_s;
    sum.operations_per_s += speed.operations_per_s;
  }
  // Ranks beyond the CPUs share them.
  const auto ranks = static_cast<double>(std::max<std::size_t>(processes, speeds.size()));
  const CorePairCosts near = between(topology.numa_nodes.front(), topology.numa_nodes.front());
  const CorePairCosts far = topology.numa_nodes.size() > 1
                                ? between(topology.numa_nodes.front(), topology.numa_nodes.back())
                                : CorePairCosts{};
  return {static_cast<std::uint64_t>(sum.copied_bytes_per_s),
          static_cast<std::uint64_t>(sum.operations_per_s / ranks),
          near.message_ns,
          near.bytes_per_s,
          far.message_ns,
          far.bytes_per_s};
}

}  // namespace adarun::launcher::agent
