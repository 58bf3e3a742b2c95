// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "launcher/record/folder_lock.h"
#include "launcher/record/job_file.h"
#include "launcher/record/job_index.h"
#include "launcher/record/line_times.h"
#include "launcher/record/rank_log.h"

namespace adarun::launcher {

/// "NAME=VALUE" for a log: the value becomes "***" if the name contains TOKEN, SECRET, KEY or PASSWORD (in
/// any case), or is PMIX_NAMESPACE, which gives access to a job.
std::string masked(const std::string& variable);

/// What a LogFolder may have beside its plan.
struct LogFolderOptions {
  std::optional<std::uint64_t> log_limit = {};  ///< Of each rank's log, in bytes (see RankLog).
  SupervisorProcess supervisor = {};            ///< The process that runs the job.
  base::FileDescriptor held = {};               ///< A lock of the folder of this process (see lock_folder()).
};

/// Writes the files of a job: worker_<rank>.log (stdout and stderr in order of arrival), env_<rank>.log
/// (0600, secrets masked), rank_table.json, events.jsonl, job.json, line_times.txt (see LineTimes), and
/// hang_<rank>.txt for an examined rank. Each byte is in its file when on_output() returns; one file per rank
/// stays open (see base::FileLimit). job.json is updated with the states of the ranks while the job runs (see
/// RankStates). Throws Error if a file cannot be written, except for job.json while the job runs.
class LogFolder : public JobObserver {
 public:
  /// Creates `folder`, or takes an empty one of this user (see base::OutputFolder). An existing one of an
  /// ended job is renamed to `folder.<job id>` first; if a running job uses it, throws FolderInUse (see
  /// EarlierLogs). `index`: the folder of all jobs, from job_index(), or empty. Borrows `plan`.
  LogFolder(std::filesystem::path folder, const std::filesystem::path& index, const Plan& plan,
            LogFolderOptions options = {});

  void on_greeted(std::uint32_t node, const protocol::Hello& hello) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override;
  void on_started(const protocol::Started& started) override;
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override;
  void on_exited(std::uint32_t rank, const RankRecord& record) override;
  void on_examined(const ExaminedRank& examined) override;
  void on_failure(const Failure& failure) override;
  void on_members(const protocol::Members& members, const std::string& why) override;
  void on_replaced(std::uint32_t node, const std::string& lost) override;
  void on_stopping(const protocol::Stop& stop) override;
  void on_forwarded(int signal) override;
  void on_tick() override;
  void on_notice(const std::string& text) override;

  /// Writes the job's end to job.json and the job index. If no rank has started,
  /// path() becomes `folder.<job id>`, and the logs that were there before are in `folder` again. Throws
  /// Error if something cannot be written.
  void finish(const JobReport& report);

  /// What finish() writes to job.json, on one line.
  std::string end_as_json(const JobReport& report) const;

  const std::filesystem::path& path() const { return folder_; }

  /// The folder, open: also where it was renamed.
  const base::OutputFolder& opened() const { return opened_; }

  /// The last lines of a rank's log, unchanged; empty if they cannot be read.
  std::vector<std::string> last_lines(std::uint32_t rank) const;

 private:
  void open_files();
  void add_attempt();
  bool has_run(const JobReport& report) const;
  JobFileState ended_state(const JobReport& report) const;
  void write_state(const JobReport& report, const JobFileState& state);
  void write_rank_states();
  void add_event(const std::string& json_line);

  std::filesystem::path folder_;
  EarlierLogs earlier_;
  base::OutputFolder opened_;  ///< And locked.
  std::filesystem::path index_;
  const Plan& plan_;
  SupervisorProcess supervisor_;
  std::int64_t began_ns_;
  base::FileDescriptor events_;
  std::optional<std::uint64_t> log_limit_;
  RankStates states_;
  std::vector<RankLog> logs_;
  std::optional<LineTimes> times_;
  bool any_output_ = false;
};

}  // namespace adarun::launcher
