// SPDX-License-Identifier: Apache-2.0
#include "launcher/supervisor/resize_plan.h"

#include <algorithm>
#include <optional>

#include "base/describe.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/parse.h"
#include "launcher/supervisor/change_text.h"

namespace adarun::launcher {
namespace {

std::vector<Host> hosts_of(const std::string& list, const char* option) {
  if (list.empty()) return {};
  try {
    return parse_host_list(list, option);
  } catch (const Error& error) {
    throw Error(error.what());
  }
}

std::optional<std::uint32_t> number_of(const std::string& name, const std::vector<std::uint32_t>& among,
                                       const Membership& membership) {
  for (const std::uint32_t node : among)
    if (membership.all()[node].name == name) return node;
  return std::nullopt;
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
  std::vector<std::string> leave;
  std::vector<std::string> join;
  leave.reserve(removed.size());
  for (const std::uint32_t node : removed) leave.push_back(membership.all()[node].name);
  for (const std::uint32_t node : plan.requested.added) join.push_back(membership.all()[node].name);
  for (const Host& host : plan.new_hosts) join.push_back(host.name);
  return change_text({}, leave, join);
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

}  // namespace adarun::launcher
