// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/log/log.h"
#include "base/process.h"
#include "launcher/hosts/host.h"
#include "launcher/protocol/defaults.h"
#include "launcher/transport/loop/link.h"
#include "launcher/transport/loop/transport.h"
#include "launcher/transport/reach/ssh_options.h"

namespace adarun::launcher {

struct LocatedHosts;

/// How a host is reached, from the SSH configuration and the resolver.
struct HostPlace {
  std::string user;
  int port = 22;                       ///< 0: without SSH.
  std::string address;                 ///< By which the other hosts reach it; empty: none was found.
  std::string reason;                  ///< Why none was found, in one line without the host's name.
  std::vector<std::string> jumps;      ///< Jump hosts, the first one first.
  std::vector<std::string> addresses;  ///< All that the resolver returned; none behind a jump host.

  bool operator==(const HostPlace&) const = default;
};

/// Hosts and how to reach them.
struct Targets {
  std::vector<std::string> addresses;   ///< By which the other hosts reach each one, as text.
  std::vector<HostPlace> places = {};   ///< The same hosts in detail.
  std::vector<std::string> notes = {};  ///< Lines of the SSH config that are not followed, one sentence each.

  std::shared_ptr<const LocatedHosts> located = {};  ///< How to connect to them by SSH.
};

class Reach;

/// How nodes are reached: the way, and what else a user may choose.
struct ReachOptions {
  std::shared_ptr<const Reach> reach = {};
  /// Path of adarun-agent on every node, or a name to look up in PATH there; empty: as on this machine.
  std::string agent;
  std::chrono::milliseconds connect_timeout = default_connect_timeout;
  int fanout = default_fanout;  ///< How many nodes connect at once.
  SshOptions ssh;
  base::Log* log = nullptr;  ///< For messages about connecting; null: none.

  LinkOptions link_options(std::chrono::milliseconds lease) const { return {connect_timeout, lease, fanout}; }
};

/// A way to reach the nodes of a job, as `--via` names it. Immutable; used by any thread.
class Reach {
 public:
  virtual ~Reach() = default;

  /// The name that `--via` takes: "ssh", "docker", or "exec".
  virtual std::string name() const = 0;

  /// Whether all nodes are this machine. Connections to others may be cut and resumed.
  virtual bool is_local() const { return false; }

  /// How all nodes are reached, for people: "over SSH, at most 64 at once"; empty: there is nothing to say.
  virtual std::string text(const ReachOptions& options) const = 0;

  /// How one of them is, as a person would reach it: "ssh -p 22 ada@10.0.0.1".
  virtual std::string text_of(const Host& host, const HostPlace& place,
                              const ReachOptions& options) const = 0;

  /// Whether the way itself knows the hosts of a job, which hosts() returns.
  virtual bool has_hosts() const { return false; }

  /// Throws Error if they cannot be learned.
  virtual std::vector<Host> hosts(const ReachOptions& /*options*/) const { return {}; }

  /// Throws Error that names a host which cannot be reached this way.
  virtual void require(const std::vector<Host>& /*hosts*/, const ReachOptions& /*options*/) const {}

  /// What becomes of hosts without an address: locate() refuses them all by name, or leaves it to their
  /// links to report each as lost.
  enum class Unknown { refused, kept };

  /// Looks all hosts up, in parallel, within the time to connect; makes no connection to them. Throws Error
  /// also if the SSH configuration is invalid.
  virtual Targets locate(const std::vector<Host>& hosts, const ReachOptions& options,
                         Unknown unknown = Unknown::kept) const = 0;

  /// A link to an agent on each host, which locate() has found. Processes started here get the limit of open
  /// files that was in effect before `files`, which outlives the links. Throws Error if nothing can be
  /// reached this way.
  virtual std::vector<NodeLink> links(const std::vector<Host>& hosts, const Targets& targets,
                                      const ReachOptions& options, const base::FileLimit& files) const = 0;
};

/// Logs which parts of the SSH configuration are not supported, how each host is reached, and which two are
/// one machine. `log` may be null.
void log_targets(const std::vector<Host>& hosts, const Targets& targets, base::Log* log);

}  // namespace adarun::launcher
