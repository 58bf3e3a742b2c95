// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "launcher/plan/job_options.h"
#include "launcher/supervisor/job_nodes.h"
#include "launcher/supervisor/resize_request.h"

namespace adarun::launcher {

/// What a resize is to change.
struct ResizePlan {
  Membership::Requested requested;  ///< Without `new_hosts`, which are no nodes of the job yet.
  std::vector<Host> new_hosts;
  std::string text;  ///< "node2 leaves; node9 joins".
};

/// Plans what `request` wants of a job. A member or a spare that is not `usable` is lost: it is added
/// as a new host, which may be reached now. `check` throws Error with the reason if the job cannot run on
/// these hosts. Throws Error, in one line: a host that is or is not in the job, too few that would be left,
/// or no restart to come at which members could change.
ResizePlan plan_resize(const ResizeRequest& request, const Membership& membership,
                       const std::function<bool(std::uint32_t)>& usable, const JobOptions& options,
                       const std::function<void(const std::vector<Host>&)>& check);

/// Changes of a running job's nodes that the user wants, one at a time: from the request until the ranks of
/// the next attempt run. New nodes are connected while the job runs; if one cannot be, nothing changes.
/// Borrows the constructor's arguments.
class Resize {
 public:
  /// `check`: see plan_resize().
  Resize(const JobOptions& options, const ReachOptions& reach, JobNodes& nodes,
         std::function<void(const std::vector<Host>&)> check)
      : options_(options), reach_(reach), nodes_(nodes), check_(std::move(check)) {}

  /// Begins what is wanted, or refuses it.
  ResizeState begin(const ResizeRequest& request);

  /// Call often while an attempt runs.
  void advance();

  /// Whether the attempt is to be ended for it now.
  bool is_due() const { return phase_ == Phase::ready && now_; }

  /// What the next renewal of the members is to do: nothing while new hosts are not connected.
  const Membership::Requested& requested() const { return requested_; }

  /// Gives the change up: nothing changes.
  void fail(const std::string& why);

  /// The attempt that begins is the last one that --restarts allows.
  void note_last_restart() { restarts_left_ = false; }

  /// The members have been renewed, perhaps by what was requested. Call before connections are dropped.
  void renewed(const Membership::Change& change);

  /// The nodes, and their numbers, are those of the next attempt: plans a change anew that still waits for
  /// new hosts.
  void nodes_changed();

  /// All ranks of an attempt have started: of these hosts, in words.
  void ranks_started(const std::string& where);

  /// Of the last request.
  const ResizeState& state() const { return state_; }

 private:
  /// idle       -> locating    a change is wanted; -> connecting if it adds no host that is new.
  /// locating   -> connecting  the addresses of new hosts are known.
  /// connecting -> ready       all that are added are connected.
  /// ready      -> renewed     the members have changed.
  /// renewed    -> idle        the new ranks run. Others -> idle if it fails.
  /// locating, connecting -> locating or connecting  the nodes have changed meanwhile.
  enum class Phase { idle, locating, connecting, ready, renewed };

  void start(const ResizeRequest& request);
  void locate();
  void take_located();
  void await_connections();

  const JobOptions& options_;
  const ReachOptions& reach_;
  JobNodes& nodes_;
  std::function<void(const std::vector<Host>&)> check_;
  Phase phase_ = Phase::idle;
  ResizeRequest request_;
  ResizePlan plan_;
  Membership::Requested requested_;  ///< Empty unless in phase `ready`.
  bool now_ = false;
  bool restarts_left_ = true;  ///< As far as --restarts was given.
  ResizeState state_;
  std::future<Targets> located_;  ///< Of `located_hosts_`; also of a change that has failed.
  std::vector<Host> located_hosts_;
  std::vector<std::uint32_t> connecting_;  ///< Numbers of the new hosts.
};

}  // namespace adarun::launcher
