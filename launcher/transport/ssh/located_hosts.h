// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/reach/ssh_options.h"
#include "launcher/transport/ssh/resolve.h"
#include "launcher/transport/ssh/ssh_handshake.h"

namespace adarun::launcher {

/// One host to be reached, and the hop before it.
struct Hop {
  std::string name;  ///< As the user or the configuration writes it.
  Credentials credentials;
  std::shared_ptr<const Hop> before;  ///< Null: it is reached directly.

  /// The first hop, which may be this one: its address must be known here.
  const Hop& first() const { return before ? before->first() : *this; }
};

/// The address, as text, by which the other hosts of a job reach each host, chosen from all its addresses. A
/// name that resolves to a loopback address here (Debian writes 127.0.1.1 for a machine's own name) is this
/// machine: it gets its other address, else the one that this machine uses to reach the first host elsewhere,
/// which `own_address` returns ("" if there is no route). Hosts that are all on loopback addresses keep them;
/// one without an address has none. Pure, except for `own_address`.
std::vector<std::string> outside_addresses(
    const std::vector<std::vector<SocketAddress>>& hosts,
    const std::function<std::string(const SocketAddress&)>& own_address = own_address_towards);

/// The SSH settings of some hosts, and the addresses of the first hop to each one.
struct LocatedHosts {
  std::vector<std::shared_ptr<const Hop>> hops;  ///< Of each host; each leads to the hops before it.
  std::map<const Hop*, Resolved> places;         ///< Of each first hop.
  std::vector<std::string> notes;  ///< Lines of the configuration that are not followed, one sentence each.

  /// The addresses of the first hop to a host.
  const Resolved& place_of(std::size_t host) const { return places.at(&hops[host]->first()); }

  /// Why a host was not found, in one line without its name; empty: it was.
  std::string reason_of(std::size_t host) const;

  /// The address by which other hosts reach each one; empty if it was not found. A host behind a jump host is
  /// given by its name, which may be unknown here.
  std::vector<std::string> addresses() const;

  /// Throws Error with the reasons of all hosts that were not found.
  void require_all() const;
};

/// Reads the SSH configuration of all hosts and resolves their names, in parallel, within `deadline`. Throws
/// Error if the configuration is invalid.
LocatedHosts locate_hosts(const std::vector<Host>& hosts, const SshOptions& options,
                          std::chrono::milliseconds deadline);

}  // namespace adarun::launcher
