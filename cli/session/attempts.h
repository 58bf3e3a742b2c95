// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/launch_options.h"
#include "cli/options/placement.h"
#include "cli/session/failure_history.h"
#include "cli/session/job_nodes.h"
#include "cli/session/resize.h"
#include "launcher/job/report.h"
#include "launcher/plan/plan.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::cli {

/// The attempts at one job: on which nodes each runs, over connections that stay from one to the next, and
/// whether there is another one. Borrows the options.
class Attempts {
 public:
  /// Another attempt.
  struct Next {
    std::string text;    ///< One line: why, and on which nodes.
    std::string change;  ///< Of the nodes: "node2 is lost; node3 joins"; may be empty.
    std::chrono::milliseconds delay{0};
  };

  /// Looks up the nodes. Throws launcher::Error if one that is needed has no address.
  Attempts(const LaunchOptions& options, launcher::Placement placement);

  /// Where the current attempt runs.
  const launcher::Placement& placement() const { return placement_; }

  /// The addresses of its hosts.
  std::vector<std::string> addresses() const;

  /// A transport to its nodes: connects where no connection is kept. At most one at a time. Throws
  /// launcher::Error.
  std::unique_ptr<launcher::Transport> connect() { return nodes_.connect(numbers_); }

  /// Changes of its nodes that the user wants.
  Resize& resize() { return resize_; }

  /// Where the current attempt runs, for the user: "with 4 ranks on 2 nodes".
  std::string where() const;

  /// Puts a spare in the place of a node of the current attempt that is lost. Returns why not; empty: it has.
  /// `plan_anew` is called once the placement has the spare; if it throws, nothing has changed.
  std::string replace(std::uint32_t node, const std::function<void()>& plan_anew);

  /// Decides how to go on after an attempt that has ended; nullopt: not at all. Throws
  /// launcher::Error if AdaSum or the job's roles take no world that is left.
  std::optional<Next> after(const launcher::Plan& plan, const launcher::JobReport& report);

 private:
  void exclude_failed(const launcher::JobReport& report);
  bool blame(const launcher::Plan& plan, const launcher::JobReport& report);
  bool can_go_on(std::uint32_t node) const;
  bool any_lost() const;
  bool any_ended() const;
  bool was_staging(const launcher::JobReport& report) const;
  std::optional<Next> renew(bool keeps_connections);
  std::optional<Next> restart(const launcher::JobReport& report);
  void tell_too_few(bool goes_on);
  void take_members();

  /// Throws launcher::Error if AdaSum or the job's roles do not take a world on these hosts.
  launcher::Placement placed_on(const std::vector<launcher::Host>& hosts) const;

  const LaunchOptions& options_;
  const launcher::Placement first_;
  JobNodes nodes_;
  Resize resize_;
  launcher::Placement placement_;
  std::vector<std::uint32_t> numbers_;  ///< Of the placement's hosts, in their order.
  bool is_first_ = true;
  int restarts_ = 0;  ///< Attempts that --restarts counts.
  FailureHistory history_;
  bool has_excluded_ = false;  ///< A node, because its ranks failed first twice.
  std::string too_few_;        ///< What the user is to be told of the nodes that are left.
};

}  // namespace adarun::cli
