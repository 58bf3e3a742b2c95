// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/probe/probe_session.h"
#include "launcher/transport/loop/connect_times.h"

namespace adarun::launcher {

/// Facts about a node that matter to a job that will run there. What could not be found is absent.
struct NodeFacts {
  std::string hostname;
  std::vector<std::string> addresses;  ///< Of its network interfaces.
  std::optional<int> cpus;             ///< Online CPUs.
  std::optional<std::uint64_t> memory_bytes;
  std::map<std::string, std::uint64_t> free_bytes;  ///< By folder, for each requested folder that exists.
  std::optional<bool> has_workdir;                  ///< Whether a process can go there; absent: no answer.
  std::optional<std::uint64_t> open_files;          ///< The soft limit per process.
  std::string kernel;
  std::string libmpi;    ///< Open MPI's: "libmpi.so.40.30.4"; empty: not found.
  std::string libmpich;  ///< MPICH's: "libmpich.so.12.2.2"; likewise.
  std::string libpmix;   ///< Likewise.
  /// Its clock minus ours, and the maximum error of that.
  std::optional<std::chrono::nanoseconds> clock_offset;
  std::chrono::nanoseconds clock_bound{0};
  std::optional<std::string> program;        ///< Path of the program; empty: it cannot be executed.
  std::map<std::string, std::string> peers;  ///< By "HOST:PORT": why the node cannot reach it; empty: it can.
  ConnectTimes connect_times;
};

/// The number of CPUs in a kernel CPU list, such as "0-3,8"; nullopt if it is not one.
std::optional<int> cpus_of(const std::string& list);

/// "MemTotal" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> memory_of(const std::string& meminfo);

/// The soft limit "Max open files" of /proc/self/limits.
std::optional<std::uint64_t> open_files_of(const std::string& limits);

/// The free bytes in the output of `df -Pk`, one per line.
std::vector<std::uint64_t> free_of(const std::string& df);

/// The name with the longest version among those that begin with `stem` ("libmpi.so."); empty: none.
std::string library_in(const std::vector<std::string>& names, const std::string& stem);

/// Open MPI's library among them; empty: none. "libmpi.so.12" is not accepted: MPICH and libraries with its
/// ABI use that name (as did Open MPI 1.10, of 2015).
std::string open_mpi_in(const std::vector<std::string>& names);

/// MPICH's library among them: libmpich, as Debian names it, else the libmpi.so.12 of MPICH itself, MVAPICH
/// and Intel MPI; empty: none.
std::string mpich_in(const std::vector<std::string>& names);

/// What to check on every node.
struct PreflightOptions {
  std::string workdir;               ///< The folder that ranks start in.
  std::string program;               ///< What the ranks run; empty: do not check.
  std::vector<std::string> folders;  ///< Folders whose free space to check, besides `workdir`.
  std::vector<std::string> peers;    ///< "HOST PORT" of TCP servers that the node should reach.
};

/// Gets the facts of one node: its clock first, whether it reaches its peers last, between them all the rest
/// at once.
class Preflight : public NodeProbe {
 public:
  explicit Preflight(PreflightOptions options) : options_(std::move(options)) {}

  std::vector<protocol::Query> next() override;
  void take(const protocol::Query& query, const protocol::Answer& answer) override;
  void take_step(const LinkStep& step) override { facts_.connect_times.take(step); }

  const NodeFacts& facts() const { return facts_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Take = std::function<void(const protocol::Answer&)>;

  void ask(protocol::Query query, Take take);
  void ask_of_round(std::size_t round);
  void ask_the_time();
  void ask_the_system();
  void ask_for_libraries();
  void ask_for_space();
  void ask_for_the_program();
  void ask_for_peers();

  PreflightOptions options_;
  NodeFacts facts_;
  std::size_t round_ = 0;  ///< The next one.
  Clock::time_point asked_;
  std::int64_t asked_ns_ = 0;             ///< The same, by the wall clock.
  std::vector<protocol::Query> queries_;  ///< Of this round.
  std::vector<Take> takes_;               ///< Handlers of the answers, by index of the query.
};

}  // namespace adarun::launcher
