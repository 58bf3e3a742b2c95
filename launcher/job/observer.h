// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/protocol/messages.h"
#include "launcher/stage/staging.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Result of examining a rank that makes no progress.
struct ExaminedRank {
  enum class Why {
    job_hangs,     ///< All ranks are silent; the job is ended.
    stays_behind,  ///< Others continue.
  };
  std::uint32_t rank = 0;
  Why why = Why::job_hangs;
  bool foremost = false;  ///< The one furthest behind of those examined together.
  std::string text;       ///< One or more lines.
};

/// Receives a running job's events. Called from the thread that drives the job, in the order of events. Each
/// function does nothing unless overridden.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  /// A node's link has reached a further step of connecting to its agent.
  virtual void on_step(std::uint32_t /*node*/, const LinkStep& /*step*/) {}
  virtual void on_greeted(std::uint32_t /*node*/, const protocol::Hello& /*hello*/) {}
  virtual void on_lost(std::uint32_t /*node*/, const std::string& /*reason*/) {}
  /// All nodes have connected, and their plans have been sent.
  virtual void on_plan_sent() {}
  /// Progress of staging, whenever it has changed; the last time when all nodes are done.
  virtual void on_staging(const StageProgress& /*progress*/) {}
  virtual void on_ready(std::uint32_t /*node*/, const protocol::Ready& /*ready*/) {}
  virtual void on_started(const protocol::Started& /*started*/) {}
  /// The job continues without this rank, which may never have started.
  virtual void on_left(std::uint32_t /*rank*/) {}
  /// A rank has connected to its PMIx or PMI server.
  virtual void on_joined(std::uint32_t /*rank*/) {}
  /// All participating ranks have entered a fence.
  virtual void on_fence(const protocol::FenceDone& /*fence*/) {}
  virtual void on_output(std::uint32_t /*rank*/, protocol::Stream /*stream*/, std::string_view /*bytes*/) {}
  /// A signal has stopped a rank's process; 0: it continues.
  virtual void on_halted(std::uint32_t /*rank*/, int /*signal*/) {}
  virtual void on_exited(std::uint32_t /*rank*/, const RankRecord& /*record*/) {}
  /// Called for some ranks that make no progress, the foremost first.
  virtual void on_examined(const ExaminedRank& /*examined*/) {}
  /// The last step of a rank, if this observer reads it from the output; else nullopt.
  virtual std::optional<std::uint64_t> step_of(std::uint32_t /*rank*/) const { return std::nullopt; }
  virtual void on_failure(const Failure& /*failure*/) {}
  /// These ranks continue: a rank or a node has failed, or the same ranks connect anew. `why`: one line.
  virtual void on_members(const protocol::Members& /*members*/, const std::string& /*why*/) {}
  /// A spare has taken the place of a node that was lost, of the host `lost`: the plan names it from now on.
  virtual void on_replaced(std::uint32_t /*node*/, const std::string& /*lost*/) {}
  /// All nodes have been told to end their processes.
  virtual void on_stopping(const protocol::Stop& /*stop*/) {}
  /// All nodes have been told to pass a signal on to their ranks.
  virtual void on_forwarded(int /*signal*/) {}
  /// Called often while the job runs, at least five times a second; for views that redraw themselves.
  virtual void on_tick() {}
  /// Whether the observer keeps up with the output. While it does not, output stays on the nodes, unless the
  /// job is being ended.
  virtual bool has_room() const { return true; }
  /// Whether the attempt is to end because the job's nodes change; asked often while it runs.
  virtual bool wants_resize() const { return false; }
  /// One line for the user that is not a failure.
  virtual void on_notice(const std::string& /*text*/) {}
};

/// Forwards events to several observers, in order. Borrows them.
class Observers : public JobObserver {
 public:
  explicit Observers(std::vector<JobObserver*> observers) : observers_(std::move(observers)) {}

  void on_greeted(std::uint32_t node, const protocol::Hello& hello) override {
    tell(&JobObserver::on_greeted, node, hello);
  }
  void on_step(std::uint32_t node, const LinkStep& step) override { tell(&JobObserver::on_step, node, step); }
  void on_plan_sent() override { tell(&JobObserver::on_plan_sent); }
  void on_joined(std::uint32_t rank) override { tell(&JobObserver::on_joined, rank); }
  void on_fence(const protocol::FenceDone& fence) override { tell(&JobObserver::on_fence, fence); }
  void on_lost(std::uint32_t node, const std::string& reason) override {
    tell(&JobObserver::on_lost, node, reason);
  }
  void on_staging(const StageProgress& progress) override { tell(&JobObserver::on_staging, progress); }
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override {
    tell(&JobObserver::on_ready, node, ready);
  }
  void on_started(const protocol::Started& started) override { tell(&JobObserver::on_started, started); }
  void on_left(std::uint32_t rank) override { tell(&JobObserver::on_left, rank); }
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override {
    tell(&JobObserver::on_output, rank, stream, bytes);
  }
  void on_halted(std::uint32_t rank, int signal) override { tell(&JobObserver::on_halted, rank, signal); }
  void on_exited(std::uint32_t rank, const RankRecord& record) override {
    tell(&JobObserver::on_exited, rank, record);
  }
  void on_examined(const ExaminedRank& examined) override { tell(&JobObserver::on_examined, examined); }
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override {
    for (const auto* each : observers_)
      if (const auto step = each->step_of(rank)) return step;
    return std::nullopt;
  }
  void on_failure(const Failure& failure) override { tell(&JobObserver::on_failure, failure); }
  void on_members(const protocol::Members& members, const std::string& why) override {
    tell(&JobObserver::on_members, members, why);
  }
  void on_replaced(std::uint32_t node, const std::string& lost) override {
    tell(&JobObserver::on_replaced, node, lost);
  }
  void on_stopping(const protocol::Stop& stop) override { tell(&JobObserver::on_stopping, stop); }
  void on_forwarded(int signal) override { tell(&JobObserver::on_forwarded, signal); }
  void on_tick() override { tell(&JobObserver::on_tick); }
  bool has_room() const override {
    return std::all_of(observers_.begin(), observers_.end(),
                       [](const auto* each) { return each->has_room(); });
  }
  bool wants_resize() const override {
    return std::any_of(observers_.begin(), observers_.end(),
                       [](const auto* each) { return each->wants_resize(); });
  }
  void on_notice(const std::string& text) override { tell(&JobObserver::on_notice, text); }

 private:
  template <typename... Parameters, typename... Values>
  void tell(void (JobObserver::*event)(Parameters...), const Values&... values) {
    for (JobObserver* each : observers_) (each->*event)(values...);
  }

  std::vector<JobObserver*> observers_;
};

}  // namespace adarun::launcher
