// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/resize.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "base/describe.h"
#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_list.h"
#include "launcher/hosts/host_words.h"

namespace adarun::launcher {
namespace {

std::vector<Host> hosts_of(const std::string& list, const char* option) {
  return list.empty() ? std::vector<Host>() : parse_host_list(list, option);
}

// By its name; else the one whose name that is with or without a domain, if there is no other.
std::optional<std::uint32_t> number_of(const std::string& name, const std::vector<std::uint32_t>& among,
                                       const Membership& membership) {
  for (const std::uint32_t node : among)
    if (membership.all()[node].name == name) return node;
  std::optional<std::uint32_t> found;
  for (const std::uint32_t node : among) {
    if (!are_one_name(membership.all()[node].name, name)) continue;
    if (found) return std::nullopt;
    found = node;
  }
  return found;
}

bool is_removed(std::uint32_t node, const ResizePlan& plan) {
  const std::vector<std::uint32_t>& removed = plan.requested.removed;
  return std::find(removed.begin(), removed.end(), node) != removed.end();
}

std::vector<std::uint32_t> removed_by(const ResizeRequest& request, const Membership& membership) {
  std::vector<std::uint32_t> removed;
  for (const Host& host : hosts_of(request.remove, "--remove")) {
    std::optional<std::uint32_t> node = number_of(host.name, membership.members(), membership);
    if (!node) node = number_of(host.name, membership.spares(), membership);
    if (!node) throw Error("--remove: " + host.name + " is not in the job");
    removed.push_back(*node);
  }
  return removed;
}

// A host that is lost is in the job no more, and comes back as one that is new.
void add_again(std::uint32_t lost, const Host& listed, const Membership& membership, ResizePlan& plan) {
  if (!is_removed(lost, plan)) plan.requested.removed.push_back(lost);
  plan.new_hosts.push_back(listed.counted ? listed : membership.all()[lost]);
}

void add_spare(std::uint32_t spare, bool is_usable, const Host& listed, const Membership& membership,
               ResizePlan& plan) {
  const std::size_t devices = membership.with_devices(membership.all()[spare]).devices.size();
  if (is_usable && listed.counted && listed.devices.size() != devices)
    throw Error("--add: " + listed.name + " is a spare, and joins with " + base::counted(devices, "device") +
                ", not " + std::to_string(listed.devices.size()));
  if (is_usable) return plan.requested.added.push_back(spare);
  add_again(spare, listed, membership, plan);
}

void add_hosts(const ResizeRequest& request, const Membership& membership,
               const std::function<bool(std::uint32_t)>& usable, ResizePlan& plan) {
  for (const Host& host : hosts_of(request.add, "--add")) {
    if (host.asked_kind)
      throw Error("--add: " + host.name + ":" + name_of(*host.asked_kind) +
                  ": the number of devices is wanted");
    const auto member = number_of(host.name, membership.members(), membership);
    if (member && usable(*member)) throw Error("--add: " + host.name + " is in the job already");
    if (member) {
      add_again(*member, host, membership, plan);
      continue;
    }
    const auto spare = number_of(host.name, membership.spares(), membership);
    if (spare && is_removed(*spare, plan)) throw Error(host.name + ": both added and removed");
    if (spare)
      add_spare(*spare, usable(*spare), host, membership, plan);
    else
      plan.new_hosts.push_back(host);
  }
}

std::vector<Host> members_after(const ResizePlan& plan, const Membership& membership,
                                const std::function<bool(std::uint32_t)>& usable) {
  std::vector<Host> hosts;
  for (const std::uint32_t member : membership.members())
    if (usable(member) && !is_removed(member, plan)) hosts.push_back(membership.all()[member]);
  for (const std::uint32_t spare : plan.requested.added)
    hosts.push_back(membership.with_devices(membership.all()[spare]));
  for (const Host& host : plan.new_hosts) hosts.push_back(membership.with_devices(host));
  return hosts;
}

std::string text_of(const ResizePlan& plan, const std::vector<std::uint32_t>& removed,
                    const Membership& membership) {
  std::vector<std::string> join = membership.names_of(plan.requested.added);
  for (const Host& host : plan.new_hosts) join.push_back(host.name);
  return change_text({}, membership.names_of(removed), join);
}

}  // namespace

ResizePlan plan_resize(const ResizeRequest& request, const Membership& membership,
                       const std::function<bool(std::uint32_t)>& usable, const JobOptions& options,
                       const std::function<void(const std::vector<Host>&)>& check) {
  if (request.add.empty() && request.remove.empty())
    throw Error("say what changes: --add LIST or --remove LIST");
  ResizePlan plan;
  const std::vector<std::uint32_t> removed = removed_by(request, membership);
  plan.requested.removed = removed;
  add_hosts(request, membership, usable, plan);
  const std::vector<Host> hosts = members_after(plan, membership, usable);
  const std::size_t least = options.spares.min_nodes.value_or(1);
  // AdaSum may have had the job begin on fewer nodes than it needs: it may stay on as many.
  if (hosts.size() < least && hosts.size() < membership.members().size())
    throw Error(base::counted(hosts.size(), "node") + " would be left; the job needs " +
                std::to_string(least) + (options.spares.min_nodes ? " (--min-nodes)" : ""));
  check(hosts);
  if (!request.now && !options.keeps_agents())
    throw Error(
        "the job was started without --restarts, --spare and --min-nodes: its nodes can "
        "change only --now");
  // A new host that is lost before it joins does not end the job.
  const std::size_t joining = plan.requested.added.size() + plan.new_hosts.size();
  if (!options.spares.min_nodes) plan.requested.enough = std::max<std::size_t>(hosts.size() - joining, 1);
  plan.text = text_of(plan, removed, membership);
  return plan;
}

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
    reach_.log->write(base::Level::info, "resize", host.name + " is connected");
}

void Resize::fail(const std::string& why) {
  if (phase_ == Phase::idle) return;
  for (const std::uint32_t node : connecting_) nodes_.exclude(node);
  connecting_.clear();
  requested_ = {};
  phase_ = Phase::idle;
  state_ = {ResizeState::Kind::refused, why + "; the job continues as it was"};
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
  state_ = {ResizeState::Kind::done, plan_.text + ", and the job continues " + where};
}

}  // namespace adarun::launcher
