// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/binding.h"

#include <sched.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "base/read_text.h"

namespace adarun::launcher::agent {
namespace {

// No kernel is built for more.
constexpr int most_cpus = 8192;

Cpus common(const Cpus& a, const Cpus& b) {
  Cpus result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

std::vector<Cpus> numa_nodes(const std::string& system, const Cpus& allowed) {
  std::vector<Cpus> nodes;
  Cpus rest = allowed;
  for (const int node : parse_cpus(base::read_text(system + "/node/online"))) {
    const std::string file = system + "/node/node" + std::to_string(node) + "/cpulist";
    Cpus cpus = common(parse_cpus(base::read_text(file)), rest);
    if (cpus.empty()) continue;
    Cpus left;
    std::set_difference(rest.begin(), rest.end(), cpus.begin(), cpus.end(), std::back_inserter(left));
    rest = std::move(left);
    nodes.push_back(std::move(cpus));
  }
  if (!rest.empty()) nodes.push_back(std::move(rest));
  return nodes;
}

}  // namespace

CpuTopology read_cpu_topology(const std::string& system, const Cpus& allowed) {
  CpuTopology topology;
  topology.numa_nodes = numa_nodes(system, allowed);
  for (const Cpus& node : topology.numa_nodes) {
    std::map<int, Cpus> cores;  // By their first CPU.
    for (const int cpu : node) {
      const std::string file = system + "/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
      const Cpus threads = common(parse_cpus(base::read_text(file)), node);
      cores[threads.empty() ? cpu : threads.front()].push_back(cpu);
    }
    for (auto& [first, threads] : cores) topology.cores.push_back(std::move(threads));
  }
  return topology;
}

Cpus own_cpus() {
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  const std::unique_ptr<cpu_set_t, Free> set(CPU_ALLOC(most_cpus));
  const std::size_t size = CPU_ALLOC_SIZE(most_cpus);
  Cpus cpus;
  if (!set || ::sched_getaffinity(0, size, set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < most_cpus; ++cpu)
    if (CPU_ISSET_S(cpu, size, set.get())) cpus.push_back(cpu);
  return cpus;
}

Cpus parse_cpus(const std::string& text) {
  Cpus cpus;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int first = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) break;
    int last = first;
    if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || first < 0 || last >= most_cpus) break;
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (read.ptr == end || *read.ptr != ',') break;
    at = read.ptr + 1;
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string describe_cpus(const Cpus& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last != i) text += '-' + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

Binding::Binding(protocol::Bind bind, CpuTopology topology, std::size_t ranks)
    : bind_(bind),
      groups_(bind == protocol::Bind::core   ? topology.cores
              : bind == protocol::Bind::numa ? std::move(topology.numa_nodes)
                                             : std::vector<Cpus>()),
      cores_(topology.cores.size()),
      ranks_(ranks == 0 ? 1 : ranks) {}

std::size_t Binding::group_of(std::size_t local_rank) const {
  assert(ranks_ > 0);
  return local_rank * groups_.size() / ranks_;
}

const Cpus& Binding::of(std::size_t local_rank) const {
  static const Cpus any;
  return groups_.empty() ? any : groups_[group_of(local_rank)];
}

std::size_t Binding::threads_of(std::size_t local_rank) const {
  if (bind_ != protocol::Bind::numa || groups_.empty()) return 0;
  std::size_t sharing = 1;  // itself
  for (std::size_t other = 0; other < ranks_; ++other)
    if (other != local_rank && group_of(other) == group_of(local_rank)) ++sharing;
  return std::max<std::size_t>(1, of(local_rank).size() / sharing);
}

std::string Binding::warning() const {
  if (groups_.empty() || ranks_ <= cores_) return "";
  return "--bind: " + std::to_string(ranks_) + " ranks share " + std::to_string(cores_) +
         (cores_ == 1 ? " core" : " cores");
}

}  // namespace adarun::launcher::agent
