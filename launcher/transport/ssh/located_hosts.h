// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/ssh/config/ssh_options.h"
#include "launcher/transport/ssh/resolve.h"
#include "launcher/transport/ssh/route.h"

namespace adarun::launcher {

/// What the SSH configuration makes of some hosts, and where the first hop on the way to each one is.
struct LocatedHosts {
  std::vector<std::shared_ptr<const Hop>> hops;  ///< Of each host; those before it are on the way there.
  std::map<const Hop*, Resolved> places;         ///< Of each hop that is the first on its way.
  std::vector<std::string> notes;  ///< What of the configuration is not followed, one sentence each.

  /// Of the first hop on the way to a host.
  const Resolved& place_of(std::size_t host) const { return places.at(&hops[host]->first()); }

  /// Why a host is not found, in one line without its name; empty: it is.
  std::string reason_of(std::size_t host) const;

  /// By which other hosts reach each one; empty where it is not found. What is behind a jump host goes by its
  /// name: it may not even be known here.
  std::vector<std::string> addresses() const;

  /// Throws Error with the reasons of all hosts that are not found.
  void require_all() const;
};

/// Reads the SSH configuration of all hosts and resolves their names, all at once within `deadline`. Throws
/// Error where the configuration is unfit.
LocatedHosts locate_hosts(const std::vector<Host>& hosts, const SshOptions& options,
                          std::chrono::milliseconds deadline);

}  // namespace adarun::launcher
