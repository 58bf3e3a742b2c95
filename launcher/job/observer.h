// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "launcher/job/report.h"
#include "launcher/protocol/messages.h"
#include "launcher/stage/staging.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// What was found out about a rank that stands still.
struct ExaminedRank {
  enum class Why {
    job_hangs,     ///< As do all, and the job ends for it.
    stays_behind,  ///< While others go on.
  };
  std::uint32_t rank = 0;
  Why why = Why::job_hangs;
  bool foremost = false;  ///< The one furthest behind of those that were looked at together.
  std::string text;       ///< Lines.
};

/// Who wants to know what a job does while it runs. Called from the thread that drives the job, in the order
/// of events; each function does nothing unless it is overridden.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  /// A node's link has come to a further step on the way to its agent.
  virtual void on_step(std::uint32_t /*node*/, const LinkStep& /*step*/) {}
  virtual void on_greeted(std::uint32_t /*node*/, const protocol::Hello& /*hello*/) {}
  virtual void on_lost(std::uint32_t /*node*/, const std::string& /*reason*/) {}
  /// All nodes have been greeted, and told what to do.
  virtual void on_plan_sent() {}
  /// How far files are staged, whenever that has changed; the last time when all nodes are done.
  virtual void on_staging(const StageProgress& /*progress*/) {}
  virtual void on_ready(std::uint32_t /*node*/, const protocol::Ready& /*ready*/) {}
  virtual void on_started(const protocol::Started& /*started*/) {}
  /// A rank has found its PMIx server.
  virtual void on_joined(std::uint32_t /*rank*/) {}
  /// All ranks that take part have come to a fence of PMIx.
  virtual void on_fence(const protocol::FenceDone& /*fence*/) {}
  virtual void on_output(std::uint32_t /*rank*/, protocol::Stream /*stream*/, std::string_view /*bytes*/) {}
  virtual void on_exited(std::uint32_t /*rank*/, const RankRecord& /*record*/) {}
  /// Called for some ranks that stand still, the foremost first.
  virtual void on_examined(const ExaminedRank& /*examined*/) {}
  /// The last step of a rank, where whoever is told reads its output.
  virtual std::optional<std::uint64_t> step_of(std::uint32_t /*rank*/) const { return std::nullopt; }
  virtual void on_failure(const Failure& /*failure*/) {}
  /// All nodes have been told to end their processes.
  virtual void on_stopping(const protocol::Stop& /*stop*/) {}
  /// All nodes have been told to pass a signal on to their ranks.
  virtual void on_forwarded(int /*signal*/) {}
  /// Called often while the job runs (at least five times a second), for views that redraw themselves.
  virtual void on_tick() {}
  /// Whether whoever is told keeps up. While not, output stays with the nodes, unless the job is being ended.
  virtual bool has_room() const { return true; }
  /// One line for the user that is no failure.
  virtual void on_notice(const std::string& /*text*/) {}
};

}  // namespace adarun::launcher
