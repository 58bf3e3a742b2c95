// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/ranks.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"
#include "launcher/protocol/messages.h"
#include "launcher/record/job_index.h"

namespace adarun::launcher {

/// Content of job.json beyond plan and report.
struct JobFileState {
  std::string state;  ///< "running", "done", "failed" or "interrupted".
  std::string log_dir;
  bool ended = false;  ///< Whether the report is final; only then the job's end is written.
  std::vector<std::string> last_lines = {};  ///< Of the rank that failed first.
  bool on_one_line = false;
  SupervisorProcess supervisor = {};
  std::int64_t began_ns = 0;
};

/// The text of job.json: id, name (if it has one), state, world_size, log_dir, pid, argv, roles (if it has
/// any), supervisor, began_ns, status, duration_ms, failures, first_failure, earlier_attempts (if there were
/// any), nodes (host, user, port as in the host list), replaced_nodes (likewise, if there are any), and per
/// rank: rank, node, device_id, role, state, pid, code, signal, and how and when it ended, by the node's
/// clock and by the launcher's.
std::string job_file(const Plan& plan, const JobReport& report, const JobFileState& state);

/// Adds to the job.json in `folder`, if it is that of this attempt, that the job ended after it, while it
/// waited for another one or as that could not begin: `job_end` with state, status and failure. Throws Error
/// if the file cannot be written.
void add_job_end(const std::filesystem::path& folder, const std::string& job_id, const Failure& failure);

/// The JSON array of earlier attempts at a job, as in job.json.
std::string earlier_attempts_json(const std::vector<EarlierAttempt>& attempts);

/// The text of the job.json in `folder`; nullopt if there is none that can be read (read_regular_file).
std::optional<std::string> job_text_in(const std::filesystem::path& folder);

/// Whether `id` may be that of a job, as far as it becomes a part of paths: 1 to 64 letters, digits and '-'.
bool is_plain_id(std::string_view id);

/// The id of the job whose files are in `folder`; empty if there is none, or if it is no plain one.
std::string job_id_in(const std::filesystem::path& folder);

/// The machine on which that job was started, and its supervisor's folder; empty if they are not known.
SupervisorProcess supervisor_in(const std::filesystem::path& folder);

/// Whether a rank of that job has started, or that is not known.
bool any_rank_started_in(const std::filesystem::path& folder);

/// Tracks the ranks of a running job from its events, and decides when to write job.json: at once when all
/// ranks have started, at the first failure, and when a node is replaced; for other changes at most once a
/// second. For large jobs less often, so that writing takes at most a fiftieth of the time. Passive. Borrows
/// the plan.
class RankStates {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds least_pause{1};
  static constexpr int pauses_per_write = 50;  ///< Minimum pause, as a multiple of the last write's time.

  explicit RankStates(const Plan& plan);

  const std::vector<RankRecord>& records() const { return records_; }

  void start(const protocol::Started& started);
  void end(std::uint32_t rank, const RankRecord& record);
  /// The ranks that ran on `node` are lost.
  void lose(std::uint32_t node);
  void fail();
  /// The plan has another node in the place of one.
  void replace_node() { urgent_ = true; }

  /// Whether there is something to write and its time has come.
  bool due(Clock::time_point now) const { return urgent_ || (changed_ && now >= next_); }

  /// Whether to write at once, so that job.json is up to date for whoever reacts to the same event.
  bool urgent() const { return urgent_; }

  /// A write, successful or not, took place between these two times.
  void wrote(Clock::time_point begun, Clock::time_point ended);

 private:
  const Plan& plan_;
  std::vector<RankRecord> records_;
  std::size_t waiting_;  ///< Ranks that have not started.
  bool changed_ = false;
  bool urgent_ = false;
  bool failed_ = false;
  Clock::time_point next_ = {};
};

}  // namespace adarun::launcher
