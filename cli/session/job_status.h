// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"
#include "monitor/series/step_reader.h"

namespace adarun::cli {

/// Status of each rank of a running job: its state, its last non-empty output line (lines are split as in
/// `monitor`), the last step in its loss lines, and the times of both. Borrows the plan.
class JobStatus : public launcher::JobObserver {
 public:
  using Clock = std::chrono::steady_clock;

  explicit JobStatus(const launcher::Plan& plan);

  void on_started(const launcher::protocol::Started& started) override;
  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override;
  void on_halted(std::uint32_t rank, int signal) override { ranks_[rank].halted_by = signal; }
  void on_exited(std::uint32_t rank, const launcher::RankRecord& record) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_members(const launcher::protocol::Members& members, const std::string& why) override;
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override { return steps_.step_of(rank); }

  /// As JSON: id, name (if it has one), state, and per rank: rank, node, device_id, pid (on its node, after
  /// its start), state, halted_by (the name of the signal that has stopped its process, while that
  /// runs), last_line, printed (whether it has printed anything); after its start, silent_ms
  /// (since its last output, else since its start); if it prints its loss, step and since_step_ms. Once ranks
  /// have gone on without others, or have connected anew, members: generation, ranks, why, since_ms.
  std::string json() const;

 private:
  static constexpr std::size_t most_line_bytes = 200;

  struct RankStatus {
    launcher::RankState state = launcher::RankState::waiting;
    pid_t pid = 0;      ///< 0: it has not started.
    int halted_by = 0;  ///< The signal that has stopped its process while that runs.
    std::string last_line;
    base::LineCutter lines{{base::log_lines.end, base::Overlong::truncated, most_line_bytes}};
    bool printed = false;
    Clock::time_point heard = {};  ///< Time of its last output, else of its start.
    Clock::time_point stepped = {};
  };

  const launcher::Plan& plan_;
  std::vector<RankStatus> ranks_;
  monitor::StepReader steps_;
  launcher::protocol::Members members_;  ///< Generation 0: they have never changed.
  std::string why_;                      ///< They changed last.
  Clock::time_point changed_ = {};
};

}  // namespace adarun::cli
