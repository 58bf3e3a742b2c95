// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/resize.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/quiet_thread.h"
#include "launcher/base/error.h"

namespace adarun::launcher {

ResizeState Resize::begin(const ResizeRequest& request) {
  if (phase_ != Phase::idle)
    return {ResizeState::Kind::refused, "another change is under way: " + plan_.text};
  try {
    start(request);
  } catch (const std::exception& refused) {
    phase_ = Phase::idle;
    return {ResizeState::Kind::refused, refused.what()};
  }
  reach_.log->warning("resize: " + state_.text);
  return state_;
}

void Resize::start(const ResizeRequest& request) {
  const auto usable = [this](std::uint32_t node) {
    return nodes_.loss_of(node) == nullptr && !nodes_.is_lost(node);
  };
  ResizePlan plan = plan_resize(request, nodes_.membership(), usable, options_, check_);
  if (!request.now && !restarts_left_ && !options_.spares.any())
    throw Error("this is its last restart: its nodes can change only --now");
  const bool looks_up =
      located_.valid() && located_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
  if (looks_up && plan.new_hosts != located_hosts_)
    throw Error("addresses of an earlier change are still being looked up; try again");
  plan_ = std::move(plan);
  request_ = request;
  now_ = request.now;
  phase_ = Phase::connecting;
  requested_ = {};
  state_ = {ResizeState::Kind::pending, plan_.text + (now_ ? "" : " at the next restart")};
  if (plan_.new_hosts.empty())
    await_connections();
  else
    locate();
}

void Resize::locate() {
  phase_ = Phase::locating;
  if (located_.valid() && located_hosts_ == plan_.new_hosts) return;
  located_hosts_ = plan_.new_hosts;
  // The end of the job does not wait for a name server: the thread has its own of what it uses.
  ReachOptions options = reach_;
  options.log = nullptr;
  std::packaged_task<Targets()> task(
      [hosts = located_hosts_, options] { return options.reach->locate(hosts, options); });
  located_ = task.get_future();
  base::start_quiet_thread(std::move(task)).detach();
}

void Resize::advance() {
  if (phase_ == Phase::locating) take_located();
  if (phase_ == Phase::connecting || phase_ == Phase::ready) await_connections();
}

void Resize::take_located() {
  if (located_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
  try {
    connecting_ = nodes_.add(plan_.new_hosts, located_.get());
  } catch (const std::exception& error) {
    return fail(error.what());
  }
  plan_.requested.added.insert(plan_.requested.added.end(), connecting_.begin(), connecting_.end());
  phase_ = Phase::connecting;
}

void Resize::await_connections() {
  for (const std::uint32_t node : plan_.requested.added)
    if (const std::string* loss = nodes_.loss_of(node))
      return fail(nodes_.membership().all()[node].name + ": " + *loss);
  if (phase_ == Phase::ready) return;
  const std::vector<std::uint32_t>& added = plan_.requested.added;
  const bool all_ready =
      std::all_of(added.begin(), added.end(), [this](std::uint32_t node) { return nodes_.is_ready(node); });
  if (!all_ready) return;
  phase_ = Phase::ready;
  requested_ = plan_.requested;
  for (const Host& host : plan_.new_hosts)
    reach_.log->write(diagnostics::Level::info, "resize", host.name + " is connected");
}

void Resize::fail(const std::string& why) {
  if (phase_ == Phase::idle) return;
  for (const std::uint32_t node : connecting_) nodes_.exclude(node);
  connecting_.clear();
  requested_ = {};
  phase_ = Phase::idle;
  state_ = {ResizeState::Kind::refused, why + "; the job goes on as it was"};
  reach_.log->warning("resize: " + state_.text);
}

void Resize::renewed(const Membership::Change& change) {
  for (const auto* gone : {&change.left, &change.removed, &change.spares_removed})
    for (const std::uint32_t node : *gone) nodes_.exclude(node);
  for (const std::uint32_t node : connecting_)
    if (phase_ == Phase::connecting) nodes_.exclude(node);
  connecting_.clear();
  if (phase_ != Phase::ready) return;
  requested_ = {};
  phase_ = Phase::renewed;
}

void Resize::nodes_changed() {
  if (phase_ != Phase::locating && phase_ != Phase::connecting) return;
  try {
    start(request_);
  } catch (const std::exception& refused) {
    fail(refused.what());
  }
}

void Resize::ranks_started(const std::string& where) {
  if (phase_ != Phase::renewed) return;
  phase_ = Phase::idle;
  state_ = {ResizeState::Kind::done, plan_.text + ", and the job goes on " + where};
}

}  // namespace adarun::launcher
