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

namespace adarun::launcher {

/// Status of each rank of a running job: its state, its last non-empty output line (lines are split as in
/// `monitor`), the last step in its loss lines, and the times of both. Borrows the constructor's arguments.
class JobStatus : public JobObserver {
 public:
  using Clock = std::chrono::steady_clock;

  /// `steps`: knows the steps of ranks by the output that it is told before this.
  JobStatus(const Plan& plan, const JobObserver& steps);

  void on_started(const protocol::Started& started) override;
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override;
  void on_halted(std::uint32_t rank, int signal) override { ranks_[rank].halted_by = signal; }
  void on_exited(std::uint32_t rank, const RankRecord& record) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_members(const protocol::Members& members, const std::string& why) override;

  /// As JSON: id, name (if it has one), state, and per rank: rank, node, device_id, pid (on its node, after
  /// its start), state, halted_by (the name of the signal that has stopped its process, while that
  /// runs), last_line, printed (whether it has printed anything); after its start, silent_ms
  /// (since its last output, else since its start); if it prints its loss, step and since_step_ms. Once ranks
  /// have continued without others, or have connected anew, members: generation, ranks, why, since_ms.
  std::string json() const;

 private:
  static constexpr std::size_t most_line_bytes = 200;

  struct RankStatus {
    RankState state = RankState::waiting;
    pid_t pid = 0;      ///< 0: it has not started.
    int halted_by = 0;  ///< The signal that has stopped its process while that runs.
    std::string last_line;
    base::LineCutter lines{{base::log_lines.end, base::Overlong::truncated, most_line_bytes}};
    bool printed = false;
    std::optional<std::uint64_t> step;
    Clock::time_point heard = {};  ///< Time of its last output, else of its start.
    Clock::time_point stepped = {};
  };

  const Plan& plan_;
  const JobObserver& steps_;
  std::vector<RankStatus> ranks_;
  protocol::Members members_;  ///< Generation 0: they have never changed.
  std::string why_;            ///< They changed last.
  Clock::time_point changed_ = {};
};

}  // namespace adarun::launcher
