// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/observer.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// Records how long the steps of a job's start took, as a Chrome trace (chrome://tracing, ui.perfetto.dev):
/// one process for the launcher and one per node; a node's process has one row for connecting to its agent
/// and one per rank. All times are when the launcher received an event, by its clock. Borrows the plan.
class StartTrace : public JobObserver {
 public:
  /// `begun_ns`: when the launcher started; the time from then to this constructor is shown as planning.
  StartTrace(const Plan& plan, std::int64_t begun_ns);

  void on_step(std::uint32_t node, const LinkStep& step) override;
  void on_greeted(std::uint32_t node, const protocol::Hello& hello) override;
  void on_plan_sent() override;
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override;
  void on_started(const protocol::Started& started) override;
  void on_joined(std::uint32_t rank) override;
  void on_fence(const protocol::FenceDone& fence) override;
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override;
  void on_exited(std::uint32_t rank, const RankRecord& record) override;
  void on_failure(const Failure& failure) override;

  /// Writes the trace up to now. Throws Error if the file cannot be written; no partial file is left.
  void write(const std::filesystem::path& file);

 private:
  /// A time span in one row; `end_ns` is 0 while it lasts.
  struct Stretch {
    std::string name;
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };
  using Row = std::vector<Stretch>;  ///< In time order, without overlap.

  struct Instant {
    std::string name;
    std::int64_t time_ns = 0;
  };

  static void enter(Row& row, const std::string& name, std::int64_t now_ns);
  static void leave(Row& row, std::int64_t now_ns);

  const Plan& plan_;
  Row launcher_;
  std::vector<Row> nodes_;
  std::vector<Row> ranks_;
  std::vector<bool> printed_;
  std::vector<std::uint32_t> starting_;  ///< By node: ranks that have not started yet.
  std::vector<bool> started_;            ///< By rank: at least once.
  std::size_t all_starting_;             ///< The total of starting_.
  std::vector<Instant> instants_;
};

}  // namespace adarun::launcher
