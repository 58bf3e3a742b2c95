// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/job_nodes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "launcher/hosts/name_ranges.h"

namespace adarun::launcher {
namespace {

void add_part(std::string& text, const std::vector<std::string>& names, const char* one,
              const char* several) {
  if (names.empty()) return;
  text += (text.empty() ? "" : "; ") + fold_names(names) + (names.size() == 1 ? one : several);
}

bool contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

// The job has no more ranks than before.
void take_over(Host& spare, const Host& lost) {
  if (!spare.counted) spare.devices = lost.devices;
  spare.devices.resize(std::min(spare.devices.size(), lost.devices.size()));
}

}  // namespace

std::string change_text(const std::vector<std::string>& lost, const std::vector<std::string>& removed,
                        const std::vector<std::string>& joined) {
  std::vector<std::string> leave = removed;
  std::erase_if(leave, [&joined](const std::string& name) {
    return std::find(joined.begin(), joined.end(), name) != joined.end();
  });
  std::string text;
  add_part(text, lost, " is lost", " are lost");
  add_part(text, leave, " leaves", " leave");
  add_part(text, joined, " joins", " join");
  return text;
}

Membership::Membership(std::vector<Host> hosts, std::vector<Host> spares, std::size_t min_nodes)
    : all_(std::move(hosts)), members_(all_.size()), spares_(spares.size()), min_nodes_(min_nodes) {
  std::iota(members_.begin(), members_.end(), 0U);
  std::iota(spares_.begin(), spares_.end(), static_cast<std::uint32_t>(all_.size()));
  for (Host& spare : spares) all_.push_back(std::move(spare));
}

std::vector<std::string> Membership::names_of(const std::vector<std::uint32_t>& numbers) const {
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) names.push_back(all_[number].name);
  return names;
}

std::vector<std::uint32_t> Membership::add(std::vector<Host> hosts) {
  std::vector<std::uint32_t> added;
  for (Host& host : hosts) {
    added.push_back(static_cast<std::uint32_t>(all_.size()));
    all_.push_back(std::move(host));
  }
  return added;
}

Host Membership::with_devices(Host host) const {
  if (!host.counted) host.devices = all_[members_.front()].devices;
  return host;
}

std::optional<Membership::Change> Membership::renew(const std::function<bool(std::uint32_t)>& usable,
                                                    const Requested& requested,
                                                    const std::function<bool(std::uint32_t)>& ready) {
  std::vector<std::uint32_t> spares;
  for (const std::uint32_t spare : spares_)
    if (usable(spare) && !contains(requested.removed, spare) && !contains(requested.added, spare))
      spares.push_back(spare);
  std::vector<std::uint32_t> next = spares;
  if (ready) std::stable_partition(next.begin(), next.end(), ready);
  std::vector<std::uint32_t> members;
  Change change;
  for (const std::uint32_t member : members_) {
    if (contains(requested.removed, member)) {
      change.removed.push_back(member);
      continue;
    }
    if (usable(member)) {
      members.push_back(member);
      continue;
    }
    change.left.push_back(member);
    if (change.joined.size() == next.size()) continue;
    members.push_back(next[change.joined.size()]);
    change.joined.push_back(members.back());
  }
  for (const std::uint32_t host : requested.added)
    if (usable(host) && !contains(members, host)) change.added.push_back(host);
  members.insert(members.end(), change.added.begin(), change.added.end());
  const std::size_t left = members.size() + spares.size() - change.joined.size();
  if (members.empty() || left < requested.enough.value_or(min_nodes_)) return std::nullopt;
  for (std::size_t i = 0; i < change.joined.size(); ++i)
    take_over(all_[change.joined[i]], all_[change.left[i]]);
  for (const std::uint32_t host : change.added) all_[host] = with_devices(all_[host]);
  std::erase_if(spares, [&](std::uint32_t spare) { return contains(change.joined, spare); });
  spares_ = std::move(spares);
  members_ = std::move(members);
  for (const std::uint32_t spare : requested.removed)
    if (!contains(change.removed, spare)) change.spares_removed.push_back(spare);
  if (requested.enough) min_nodes_ = members_.size();
  return change;
}

std::optional<std::uint32_t> Membership::replace(std::uint32_t member,
                                                 const std::function<bool(std::uint32_t)>& usable) {
  const auto place = std::find(members_.begin(), members_.end(), member);
  const auto found = std::find_if(spares_.begin(), spares_.end(), [&](std::uint32_t spare) {
    const bool has_enough = !all_[spare].counted || all_[spare].devices.size() >= all_[member].devices.size();
    return has_enough && usable(spare);
  });
  if (place == members_.end() || found == spares_.end()) return std::nullopt;
  *place = *found;
  take_over(all_[*place], all_[member]);
  spares_.erase(found);
  return *place;
}

void Membership::renumber() {
  std::vector<Host> all;
  for (std::vector<std::uint32_t>* numbers : {&members_, &spares_})
    for (std::uint32_t& number : *numbers) {
      all.push_back(std::move(all_[number]));
      number = static_cast<std::uint32_t>(all.size() - 1);
    }
  all_ = std::move(all);
}

JobNodes::JobNodes(const JobOptions& options, const ReachOptions& reach, const Placement& placement)
    : options_(options),
      reach_(reach),
      membership_(placement.hosts, placement.spares,
                  options.spares.min_nodes.value_or(placement.hosts.size())) {
  look_up(options.spares.any() ? Unknown::kept : Unknown::refused);
  log_targets(membership_.all(), targets_, reach_.log);
}

// A node without an address fails to connect, and may then be replaced.
void JobNodes::look_up(Unknown unknown) {
  targets_ = reach_.reach->locate(membership_.all(), reach_, unknown);
  addresses_ = targets_.addresses;
}

std::unique_ptr<Transport> JobNodes::connect(const std::vector<std::uint32_t>& nodes) {
  if (!pool_) {
    const std::vector<Host>& hosts = membership_.all();
    loop_.emplace(reach_.link_options(options_.lease), reach_.log);
    loop_->add(reach_.reach->links(hosts, targets_, reach_, files_));
    pool_.emplace(*loop_, hosts.size(), reach_.connect_timeout,
                  [this](std::uint32_t node, const std::string& reason) { note_loss(node, reason); });
  }
  return pool_->begin(nodes);
}

std::vector<std::uint32_t> JobNodes::add(const std::vector<Host>& hosts, const Targets& targets) {
  loop_->add(reach_.reach->links(hosts, targets, reach_, files_));
  pool_->add(hosts.size());
  addresses_.insert(addresses_.end(), targets.addresses.begin(), targets.addresses.end());
  return membership_.add(hosts);
}

std::optional<std::uint32_t> JobNodes::replace(std::uint32_t lost,
                                               const std::vector<std::uint32_t>& removed) {
  if (contains(removed, lost)) return std::nullopt;
  return membership_.replace(lost,
                             [&](std::uint32_t node) { return is_ready(node) && !contains(removed, node); });
}

void JobNodes::note_loss(std::uint32_t node, const std::string& reason) {
  losses_[node] = reason;
  if (contains(membership_.spares(), node))
    reach_.log->warning("spare " + membership_.all()[node].name + ": " + reason);
}

const std::string* JobNodes::loss_of(std::uint32_t node) const {
  const auto found = losses_.find(node);
  return found == losses_.end() ? nullptr : &found->second;
}

void JobNodes::exclude(std::uint32_t node) {
  if (pool_) pool_->exclude(node);
}

void JobNodes::start_anew() {
  pool_.reset();
  loop_.reset();
  losses_.clear();
  membership_.renumber();
  look_up(Unknown::kept);
}

}  // namespace adarun::launcher
