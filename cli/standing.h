// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "launcher/job/observer.h"
#include "launcher/plan.h"

namespace adarun::cli {

/// Where each rank of a running job stands: its state and the last line it has printed. Borrows the plan.
class Standing : public launcher::JobObserver {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Standing(const launcher::Plan& plan);

  void on_started(const wire::Started& started) override;
  void on_output(std::uint32_t rank, wire::Stream stream, std::string_view bytes) override;
  void on_exited(std::uint32_t rank, const launcher::RankRecord& record) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;

  /// JSON: id, state, and per rank: rank, node, state, last_line, silent_ms, and step where `steps` knows it.
  std::string json(const launcher::JobObserver& steps) const;

 private:
  struct Rank {
    launcher::RankState state = launcher::RankState::waiting;
    std::string last_line;
    std::string begun_line;
    Clock::time_point heard = Clock::now();
  };

  const launcher::Plan& plan_;
  std::vector<Rank> ranks_;
};

}  // namespace adarun::cli
