// SPDX-License-Identifier: Apache-2.0
#include "cli/view/ask_devices.h"

#include <set>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/arguments/command.h"
#include "cli/view/ask_hosts.h"
#include "launcher/base/error.h"
#include "launcher/hosts/host_words.h"
#include "launcher/hosts/name_ranges.h"
#include "launcher/probe/device_probe.h"

namespace adarun::cli {
namespace {

void require_connection(const launcher::Host& host, const LaunchOptions& options) {
  if (options.dry_run && !options.reach->is_local())
    throw Quit(exit_usage, "--dry-run connects to nothing, and so cannot ask " + host.name +
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
    throw Quit(exit_could_not_start,
               launcher::fold_names(failed) + ": " + base::clean_line(*different.begin()) + "; " + nothing);
  require_all(hosts, reasons, exit_could_not_start, nothing);
}

}  // namespace

void ask_devices(std::vector<launcher::Host>& hosts, const LaunchOptions& options) {
  require_connection(hosts.front(), options);
  if (options.verbosity != Verbosity::usual) options.log->show(level_of(options.verbosity));
  std::vector<launcher::DeviceProbe> probes;
  std::vector<launcher::NodeProbe*> borrowed;
  probes.reserve(hosts.size());
  for (const launcher::Host& host : hosts) {
    probes.emplace_back(host.asked_kind.value_or(launcher::DeviceKind::any));
    borrowed.push_back(&probes.back());
  }
  const bool quiet = options.verbosity == Verbosity::quiet;
  try {
    const launcher::Targets targets = options.reach->locate(hosts, options);
    require_devices(hosts,
                    ask_hosts(hosts, targets, options, borrowed, quiet ? ProbeLine() : probe_line).reasons);
  } catch (const launcher::Error& error) {
    throw Quit(exit_could_not_start, error.what());
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].devices = probes[i].devices();
    hosts[i].asked_kind.reset();
    options.log->write(
        base::Level::info, hosts[i].name,
        base::counted(hosts[i].devices.size(), "device") + " (" + name_of(probes[i].kind()) + ")");
  }
}

}  // namespace adarun::cli
