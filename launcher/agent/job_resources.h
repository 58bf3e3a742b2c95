// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/agent/connection/channel.h"
#include "launcher/agent/files/folder.h"
#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/agent/ranks/binding.h"
#include "launcher/agent/ranks/cgroup.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/rank_process.h"
#include "launcher/agent/watchdog/watchdog.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The resources of a job on this node, from its Start on: folders, scratch files, a control group, CPUs,
/// limits, variables that only the node can determine, MPI servers. Starts the ranks with them. The
/// destructor removes what is left. Folders and the control group are registered with the watchdog, which
/// removes them if the agent dies. Borrows the pipe and the sender.
class JobResources {
 public:
  /// Ranks inherit `environment`.
  JobResources(Environment environment, HeartbeatPipe& heartbeat, DiagnosticSender& diagnostics)
      : environment_(std::move(environment)), heartbeat_(heartbeat), diagnostics_(diagnostics) {}

  /// Creates everything. Call once. Throws agent::Error; what was created before the error stays.
  protocol::Ready set_up(const protocol::Start& start);

  /// Forks a rank; `restarts`: how often it is started again, with this time. Call after `set_up`. Throws
  /// agent::Error that names the rank.
  RankProcess start_rank(const protocol::RankSpec& spec, std::uint32_t restarts = 0);

  /// The MPI servers of the job; empty before `set_up` and after `release`.
  MpiServers& mpi() { return mpi_; }

  /// Sends SIGKILL to everything in the job's control group, if there is one, or to what is in a rank's.
  void kill() const {
    if (cgroup_) cgroup_->kill();
  }
  void kill_rank(std::uint32_t rank) const {
    if (cgroup_) cgroup_->kill(rank);
  }

  /// Releases everything. Call when no process of the job is left. A file `spared` in the scratch folder
  /// stays until this object is destroyed; empty: none does.
  void release(std::string_view spared);

  /// Removes only the folders, even if processes still use them.
  void remove_folders() { folders_.clear(); }

 private:
  Folder& make_folder(const std::string& path);
  void set_up_limits(const protocol::Start& start);
  protocol::Ready set_up_mpi(const protocol::Start& start, Folder& scratch);
  Environment environment_of(const protocol::RankSpec& spec, std::uint32_t restarts,
                             const std::vector<std::string>& of_mpi) const;
  std::string cpus_of(const protocol::RankSpec& spec) const {
    return describe_cpus(binding_.of(spec.local_rank));
  }

  Environment environment_;
  HeartbeatPipe& heartbeat_;
  DiagnosticSender& diagnostics_;
  std::list<Folder> folders_;  ///< The first is the scratch folder.
  MpiServers mpi_;
  protocol::ProcessLimits limits_;
  Binding binding_;
  std::vector<std::string> interface_variables_;  ///< Name the interface to the other nodes.
  std::optional<Cgroup> cgroup_;
  std::size_t readers_ = 0;  ///< Ranks of this node whose stdin is, or may be, passed on.
};

}  // namespace adarun::launcher::agent
