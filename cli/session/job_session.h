// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cli/session/detach.h"
#include "cli/session/control_server.h"
#include "cli/options/launch_options.h"
#include "cli/session/job_status.h"
#include "launcher/record/supervisor.h"
#include "launcher/job/run.h"

namespace adarun::cli {

/// The place from which this process sees all runs of a job through, and where others find it.
class Seat {
 public:
  /// `departure`: of a detached job, else null. Borrows both.
  Seat(const launcher::SignalGuard& signals, Departure* departure)
      : signals_(signals), departure_(departure) {}

  /// Enters the job into the index, leaves the terminal where it is detached, and opens the desk. Throws
  /// Quit.
  void take(const LaunchOptions& options, const std::string& job_id);

  const launcher::SignalGuard& signals() const { return signals_; }
  const std::filesystem::path& index() const { return index_; }
  const launcher::Supervisor& supervisor() const { return supervisor_; }

  /// Null where nobody can ask, or nobody waits for the start.
  JobDesk* desk() const { return desk_.get(); }
  Departure* departure() const { return departure_; }

 private:
  const launcher::SignalGuard& signals_;
  Departure* departure_;
  std::filesystem::path index_;
  launcher::Supervisor supervisor_;
  std::unique_ptr<JobDesk> desk_;
};

/// Tells who asks at the desk how one run of the job stands, and who waits for its start that it has started.
/// Borrows all it is given.
class Reception : public Standing {
 public:
  Reception(const Seat& seat, const launcher::Plan& plan)
      : Standing(plan), seat_(seat), waiting_(plan.world_size()) {}

  void on_started(const launcher::protocol::Started& started) override;
  void on_tick() override;

 private:
  const Seat& seat_;
  std::size_t waiting_;  ///< Ranks that have not started.
};

}  // namespace adarun::cli
