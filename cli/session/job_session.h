// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/options/launch_options.h"
#include "cli/session/control_server.h"
#include "cli/session/detach.h"
#include "cli/session/job_status.h"
#include "launcher/job/run.h"
#include "launcher/record/supervisor.h"

namespace adarun::cli {

/// The place from which this process sees all runs of a job through, and where others find it.
class JobSession {
 public:
  /// `detach_channel`: of a detached job, else null. Borrows both.
  JobSession(const launcher::SignalGuard& signals, DetachChannel* detach_channel)
      : signals_(signals), detach_channel_(detach_channel) {}

  /// Enters the job into the index, leaves the terminal where it is detached, and opens the control server.
  /// Throws Quit.
  void take(const LaunchOptions& options, const std::string& job_id);

  const launcher::SignalGuard& signals() const { return signals_; }
  const std::filesystem::path& index() const { return index_; }
  const launcher::Supervisor& supervisor() const { return supervisor_; }

  /// Null where nobody can ask, or nobody waits for the start.
  ControlServer* control_server() const { return control_server_.get(); }
  DetachChannel* detach_channel() const { return detach_channel_; }

 private:
  const launcher::SignalGuard& signals_;
  DetachChannel* detach_channel_;
  std::filesystem::path index_;
  launcher::Supervisor supervisor_;
  std::unique_ptr<ControlServer> control_server_;
};

/// Tells who asks the control server how one run of the job stands, and who waits for its start that it
/// has started. Borrows all it is given.
class StatusObserver : public JobStatus {
 public:
  StatusObserver(const JobSession& session, const launcher::Plan& plan)
      : JobStatus(plan), session_(session), waiting_(plan.world_size()) {}

  void on_started(const launcher::protocol::Started& started) override;
  void on_tick() override;

 private:
  const JobSession& session_;
  std::size_t waiting_;  ///< Ranks that have not started.
};

}  // namespace adarun::cli
