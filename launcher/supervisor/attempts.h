// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "launcher/job/report.h"
#include "launcher/plan/job_options.h"
#include "launcher/plan/placement.h"
#include "launcher/plan/plan.h"
#include "launcher/supervisor/failure_history.h"
#include "launcher/supervisor/job_nodes.h"
#include "launcher/supervisor/resize.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Whether another run may end better than one that has ended with `report`: yes if a rank failed or hung, or
/// nodes were lost or unreachable, or are to change; no if the job was interrupted, timed out, its program
/// does not exist, or every node refuses what is asked for its ranks.
bool may_run_again(const JobReport& report, const Restarts& restarts);

/// The attempts at one job: on which nodes each runs, over connections that stay from one to the next, and
/// whether there is another one. Borrows the options; the log of `reach` must not be null.
class Attempts {
 public:
  /// Another attempt.
  struct Next {
    std::string text;    ///< One line: why, and on which nodes.
    std::string change;  ///< Of the nodes: "node2 is lost; node3 joins"; may be empty.
    std::chrono::milliseconds delay{0};
  };

  /// Looks up the nodes. Throws Error if one that is needed has no address.
  Attempts(const JobOptions& options, const ReachOptions& reach, Placement placement);

  /// Where the current attempt runs.
  const Placement& placement() const { return placement_; }

  /// The addresses of its hosts.
  std::vector<std::string> addresses() const;

  /// A transport to its nodes: connects where no connection is kept. At most one at a time. Throws Error.
  std::unique_ptr<Transport> connect() { return nodes_.connect(numbers_); }

  /// Changes of its nodes that the user wants.
  Resize& resize() { return resize_; }

  /// Where the current attempt runs, for the user: "with 4 ranks on 2 nodes".
  std::string where() const;

  /// Puts a spare in the place of a node of the current attempt that is lost. Returns why not; empty: it has.
  /// `plan_anew` is called once the placement has the spare; if it throws, nothing has changed.
  std::string replace(std::uint32_t node, const std::function<void()>& plan_anew);

  /// Decides how to continue after an attempt that has ended; nullopt: not at all. Throws Error if
  /// AdaSum or the job's roles take no world that is left.
  std::optional<Next> after(const Plan& plan, const JobReport& report);

 private:
  void exclude_failed(const JobReport& report);
  bool blame(const Plan& plan, const JobReport& report);
  bool can_go_on(std::uint32_t node) const;
  bool any_lost() const;
  bool any_ended() const;
  bool was_staging(const Plan& plan, const JobReport& report) const;
  std::optional<Next> renew(bool keeps_connections);
  std::optional<Next> restart(const JobReport& report, bool was_staging);
  void tell_too_few(bool continues);
  void take_members();

  /// Throws Error if AdaSum or the job's roles do not take a world on these hosts.
  Placement placed_on(const std::vector<Host>& hosts) const;

  const JobOptions& options_;
  base::Log& log_;
  const Placement first_;
  JobNodes nodes_;
  Resize resize_;
  Placement placement_;
  std::vector<std::uint32_t> numbers_;  ///< Of the placement's hosts, in their order.
  bool is_first_ = true;
  int restarts_ = 0;  ///< Attempts that --restarts counts.
  FailureHistory history_;
  bool has_excluded_ = false;  ///< A node, because its ranks failed first twice.
  std::string too_few_;        ///< What the user is to be told of the nodes that are left.
};

}  // namespace adarun::launcher
