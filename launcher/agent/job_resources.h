// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/agent/connection/diagnostic_sender.h"
#include "launcher/agent/files/folder.h"
#include "launcher/agent/mpi/mpi_servers.h"
#include "launcher/agent/ranks/environment.h"
#include "launcher/agent/ranks/rank_process.h"
#include "launcher/agent/ranks/rank_resources.h"
#include "launcher/agent/watchdog/heartbeat_pipe.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// What a job has on this node, from its Start on: folders, staged files, a control group, limits, servers
/// for MPI. Starts the ranks with them. All of it is removed with this object at the latest. What would
/// outlive a dead agent is told to the watchdog. Borrows the pipe and the sender.
class JobResources {
 public:
  /// Ranks inherit `environment`.
  JobResources(Environment environment, HeartbeatPipe& heartbeat, DiagnosticSender& diagnostics)
      : environment_(std::move(environment)), heartbeat_(heartbeat), diagnostics_(diagnostics) {}

  /// Makes everything. Once. Throws agent::Error; what was made until then stays.
  protocol::Ready set_up(const protocol::Start& start);

  /// Forks a rank. After `set_up`. Throws agent::Error that names the rank.
  RankProcess start_rank(const protocol::RankSpec& spec);

  /// Those of the job; none before `set_up` and after `release`.
  MpiServers& mpi() { return mpi_; }

  /// SIGKILL to everything in the job's control group, where there is one.
  void kill() const;

  /// Gives all back, when no process of the job is left. Of the scratch folder, a file `spared` stays until
  /// this object goes; empty: nothing does.
  void release(std::string_view spared);

  /// Removes the folders alone, though processes may be left in them.
  void remove_folders() { folders_.clear(); }

 private:
  Folder& make_folder(const std::string& path);
  protocol::Ready set_up_mpi(const protocol::Start& start, Folder& scratch);

  Environment environment_;
  HeartbeatPipe& heartbeat_;
  DiagnosticSender& diagnostics_;
  std::list<Folder> folders_;  ///< The first: scratch.
  MpiServers mpi_;
  std::optional<RankResources> limits_;
};

}  // namespace adarun::launcher::agent
