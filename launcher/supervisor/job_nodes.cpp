// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/job_nodes.h"

#include <algorithm>
#include <utility>

namespace adarun::launcher {

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
  const auto stays = [&](std::uint32_t node) {
    return std::find(removed.begin(), removed.end(), node) == removed.end();
  };
  if (!stays(lost)) return std::nullopt;
  return membership_.replace(lost, [&](std::uint32_t node) { return is_ready(node) && stays(node); });
}

void JobNodes::note_loss(std::uint32_t node, const std::string& reason) {
  losses_[node] = reason;
  const std::vector<std::uint32_t>& spares = membership_.spares();
  if (std::find(spares.begin(), spares.end(), node) != spares.end())
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
