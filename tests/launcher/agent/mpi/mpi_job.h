// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {

/// One MPI job on several agents of this machine. The test is the launcher and routes the messages of their
/// MPI servers.
class MpiJob {
 public:
  /// `ranks_of[node]` ranks on each node, numbered consecutively, each running `argv`.
  MpiJob(const std::vector<std::uint32_t>& ranks_of, const std::vector<std::string>& argv);

  /// Sets a variable of every rank's environment; gives the Start of a node. Only before `run`.
  void set(const std::string& assignment);
  protocol::Start& start(std::size_t node) { return nodes_[node]->start; }

  /// Starts all, and routes until every agent has sent Done (true), or `enough` holds or the timeout ends
  /// (false).
  bool run(const std::function<bool()>& enough = [] { return false; });

  /// Stops all at once, and routes until every agent has sent Done.
  bool stop();

  AgentProcess& agent(std::size_t node) { return nodes_[node]->agent; }
  std::size_t modex_requests() const { return modex_requests_; }

  /// All messages of type T, of every node.
  template <typename T>
  std::vector<T> all() const {
    std::vector<T> result;
    for (const auto& node : nodes_)
      for (const protocol::Message& message : node->agent.seen())
        if (const T* found = std::get_if<T>(&message)) result.push_back(*found);
    return result;
  }

 private:
  struct Node {
    JobFolder folder;
    protocol::Start start;
    AgentProcess agent;
  };

  bool route(const std::function<bool()>& enough);
  bool route_once();
  void take(const protocol::Message& message);
  void join_fence(const protocol::Fence& fence);
  std::vector<std::size_t> hosts_of(const std::vector<std::uint32_t>& ranks) const;
  bool all_done() const { return all<protocol::Done>().size() == nodes_.size(); }

  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::pair<protocol::Service, std::vector<std::uint32_t>>, std::vector<std::string>> fences_;
  std::size_t modex_requests_ = 0;
};

/// The number of ranks, of which node i has `ranks_of[i]`.
std::uint32_t world_of(const std::vector<std::uint32_t>& ranks_of);

/// Each rank of mpi_program.c has printed its rank, its world and the sum, and nothing on stderr.
void expect_right_lines(MpiJob& job, const std::vector<std::uint32_t>& ranks_of);

/// All ranks joined, finalized and exited with 0.
void expect_good_ends(const MpiJob& job, std::size_t world);

/// Only rank 1 has called MPI_Abort(7).
void expect_abort_of_rank_1(const MpiJob& job);

/// While it lives, programs find a libpmix.so.2 that is not a library.
class WithoutPmix {
 public:
  WithoutPmix() {
    std::ofstream(folder_.path() / "libpmix.so.2") << "no library\n";
    ::setenv("LD_LIBRARY_PATH", folder_.path().c_str(), 1);
  }
  ~WithoutPmix() { ::unsetenv("LD_LIBRARY_PATH"); }

 private:
  JobFolder folder_;
};

}  // namespace adarun::launcher::agent
