// SPDX-License-Identifier: Apache-2.0
#include "cli/view/ask_hosts.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/console/print.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/probe/device_probe.h"
#include "launcher/transport/local/local_reach.h"

namespace adarun::cli {

std::string probe_line(const launcher::ProbeProgress& progress) {
  return "adarun: asking: " + progress_bar(progress.done + progress.failed, progress.nodes) + " " +
         std::to_string(progress.connected) + " of " + base::counted(progress.nodes, "node") +
         " connected, " + std::to_string(progress.done) + " done" +
         (progress.failed > 0 ? ", " + std::to_string(progress.failed) + " failed" : "");
}

std::vector<std::string> ask_hosts(const std::vector<launcher::Host>& hosts, const launcher::Targets& targets,
                                   const NodeOptions& options,
                                   const std::vector<launcher::NodeProbe*>& probes, const ProbeLine& line) {
  const base::FileLimit files;
  launcher::log_targets(hosts, targets, options.log);
  const auto transport = connect(options, targets, hosts, files);
  TerminalLine shown(stderr);
  return launcher::ask(*transport, probes, [&](const launcher::ProbeProgress& progress) {
    if (line) shown.show(line(progress));
  });
}

std::vector<std::string> sshds_of(const launcher::Targets& targets) {
  std::vector<std::string> sshds;
  for (const launcher::HostPlace& place : targets.places)
    sshds.push_back(place.port != 0 && place.reason.empty() ? place.address + " " + std::to_string(place.port)
                                                            : "");
  return sshds;
}

void ask_here(launcher::NodeProbe& probe) {
  const base::FileLimit files;
  NodeOptions options;
  options.reach = launcher::local_reach();
  const auto transport = connect(options, {}, {launcher::Host{}}, files);
  const std::string reason = launcher::ask(*transport, {&probe}, [](const auto&) {}).front();
  if (!reason.empty()) throw launcher::Error(reason);
}

void require_all(const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons,
                 int status, const std::string& consequence) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> failed;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (reasons[i].empty()) continue;
    if (failed[reasons[i]].empty()) order.push_back(reasons[i]);
    failed[reasons[i]].push_back(hosts[i].name);
  }
  if (order.empty()) return;
  const auto count =
      std::count_if(reasons.begin(), reasons.end(), [](const auto& each) { return !each.empty(); });
  std::string message = std::to_string(count) + " of " + std::to_string(hosts.size()) +
                        (hosts.size() == 1 ? " node" : " nodes") + " failed; " + consequence;
  for (const std::string& reason : order)
    message += "\n  " + launcher::fold_names(failed[reason]) + ": " + base::clean_line(reason);
  throw ExitError(status, message);
}

namespace {

void require_connection(const launcher::Host& host, const LaunchOptions& options) {
  if (options.dry_run && !options.reach->is_local())
    throw ExitError(exit_usage, "--dry-run connects to nothing, and so cannot ask " + host.name +
                                    " for its devices: write their number, as in " + host.name + ":8");
}

// One line for one reason, else a line for each.
void require_devices(const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons) {
  const std::string nothing = "nothing was started";
  std::vector<std::string> failed;
  std::set<std::string> different;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (reasons[i].empty()) continue;
    failed.push_back(hosts[i].name);
    different.insert(reasons[i]);
  }
  if (different.size() == 1)
    throw ExitError(exit_could_not_start, launcher::fold_names(failed) + ": " +
                                              base::clean_line(*different.begin()) + "; " + nothing);
  require_all(hosts, reasons, exit_could_not_start, nothing);
}

}  // namespace

void ask_devices(std::vector<launcher::Host>& hosts, const LaunchOptions& options) {
  require_connection(hosts.front(), options);
  if (options.level != base::Level::warning) options.log->show(options.level);
  std::vector<launcher::DeviceProbe> probes;
  for (const launcher::Host& host : hosts)
    probes.emplace_back(host.asked_kind.value_or(launcher::DeviceKind::any));
  const bool quiet = options.level == base::Level::error;
  or_exit(exit_could_not_start, [&] {
    const launcher::Targets targets = options.reach->locate(hosts, options);
    require_devices(
        hosts, ask_hosts(hosts, targets, options, pointers_to(probes), quiet ? ProbeLine() : probe_line));
  });
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].devices = probes[i].devices();
    hosts[i].asked_kind.reset();
    options.log->write(
        base::Level::info, hosts[i].name,
        base::counted(hosts[i].devices.size(), "device") + " (" + name_of(probes[i].kind()) + ")");
  }
}

}  // namespace adarun::cli
