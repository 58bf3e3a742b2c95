// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_cutter.h"
#include "cli/view/launch_job.h"
#include "monitor/view/live_view.h"

namespace adarun::cli {

/// Shows the loss of a training job while it runs; the ranks' stderr is printed above it. All attempts at the
/// job are one curve.
class LossView : public JobView {
 public:
  /// What the view of the attempt before has shown; none before the first.
  using Before = std::shared_ptr<std::optional<monitor::LiveView>>;

  /// `epochs`: total number of epochs; 0: not known. Leaves what it has shown in `before` at its end.
  /// `last_line`: of the summary; empty: none.
  LossView(BackgroundOutput& output, bool color, std::uint64_t epochs, std::string last_line, Before before);

  bool draws_in_place() const override { return style_.interactive; }
  void begin(const launcher::Plan& plan) override;
  void end() override;
  void say(const std::string& line) override;
  void on_greeted(std::uint32_t node, const launcher::protocol::Hello& hello) override;
  void on_started(const launcher::protocol::Started& started) override;
  void on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) override;
  void on_lost(std::uint32_t node, const std::string& reason) override;
  void on_replaced(std::uint32_t node, const std::string& lost) override;
  void on_exited(std::uint32_t rank, const launcher::RankRecord& record) override;
  void on_tick() override;

 private:
  void print_error(std::uint32_t rank, std::string_view line);
  void end_errors(std::uint32_t rank);

  const monitor::Style style_;
  const std::string last_line_;
  const Before before_;
  monitor::LiveView view_;
  std::size_t nodes_ = 0;
  const launcher::Plan* plan_ = nullptr;  ///< Set by begin().
  std::vector<std::string> node_of_rank_;
  std::vector<std::uint32_t> node_index_;  ///< Index of each rank's node.
  std::size_t greeted_ = 0;
  std::map<std::uint32_t, base::LineCutter> errors_;  ///< The lines of each rank's stderr.
  bool ended_ = false;
};

/// Creates the loss views of the attempts at one job, for launch_job; the others: see LossView.
MakeView loss_view(bool color, std::uint64_t epochs, const std::string& last_line);

}  // namespace adarun::cli
