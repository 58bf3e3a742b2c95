// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "base/file_descriptor.h"
#include "cli/options/launch_options.h"
#include "cli/session/detach.h"
#include "cli/session/job_status.h"
#include "launcher/job/run.h"
#include "launcher/record/supervisor.h"
#include "launcher/supervisor/attempts.h"
#include "launcher/supervisor/control_server.h"

namespace adarun::cli {

/// What all runs of a job share in this process: signals, stdin, the entry in the job index, and the control
/// server.
class JobSession {
 public:
  /// `detach_channel`: null unless the job is detached. `input`: what ranks read from stdin. Borrows both and
  /// `signals`.
  JobSession(const launcher::SignalGuard& signals, launcher::JobInput& input, DetachChannel* detach_channel)
      : signals_(signals), input_(input), detach_channel_(detach_channel) {}

  /// Removes the job's folder in the index where nothing was recorded there: no attempt has begun.
  ~JobSession();
  JobSession(const JobSession&) = delete;
  JobSession& operator=(const JobSession&) = delete;

  /// Adds the job to the index, leaves the terminal if the job is detached, and starts the control server.
  /// Reserves the name of the job until it is recorded. Throws Quit.
  void take(const LaunchOptions& options, const std::string& job_id);

  /// The job's name is in the index: others can reserve names again.
  void name_recorded() { name_claim_.reset(); }

  const launcher::SignalGuard& signals() const { return signals_; }
  launcher::FromOutside from_outside() const { return {signals_, input_}; }
  const std::filesystem::path& index() const { return index_; }
  const launcher::Supervisor& supervisor() const { return supervisor_; }

  /// control_server() is null without a job index, detach_channel() unless the job is detached.
  launcher::ControlServer* control_server() const { return control_server_.get(); }
  DetachChannel* detach_channel() const { return detach_channel_; }

 private:
  const launcher::SignalGuard& signals_;
  launcher::JobInput& input_;
  DetachChannel* detach_channel_;
  std::filesystem::path index_;
  base::FileDescriptor name_claim_;
  launcher::Supervisor supervisor_;
  std::unique_ptr<launcher::ControlServer> control_server_;
};

/// Answers what the control server is asked about one run, and reports on the detach channel when all ranks
/// have started. Borrows the constructor's arguments.
class StatusObserver : public JobStatus {
 public:
  StatusObserver(const JobSession& session, const launcher::Plan& plan, launcher::Attempts& attempts)
      : JobStatus(plan), session_(session), attempts_(attempts) {
    for (std::uint32_t rank = 0; rank < plan.world_size(); ++rank) waiting_.insert(rank);
  }

  void on_started(const launcher::protocol::Started& started) override;
  void on_left(std::uint32_t rank) override { note_start(rank); }
  void on_tick() override;
  bool wants_resize() const override { return attempts_.resize().is_due(); }

 private:
  void note_start(std::uint32_t rank);
  std::string answer(const std::string& request);

  const JobSession& session_;
  launcher::Attempts& attempts_;
  std::set<std::uint32_t> waiting_;  ///< Ranks that have not started, and may still do.
};

}  // namespace adarun::cli
