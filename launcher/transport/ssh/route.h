// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/transport/reach/ssh_options.h"
#include "launcher/transport/ssh/config/config.h"
#include "launcher/transport/ssh/known_hosts.h"
#include "launcher/transport/ssh/login_keys.h"
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

/// Finds the route to hosts, from command line, configuration, key files and known_hosts files. Each file is
/// read once; nothing is connected. Hosts with the same ProxyJump share its hops.
class Routes {
 public:
  /// Throws Error.
  explicit Routes(const SshOptions& options);

  /// Throws Error.
  std::shared_ptr<const Hop> to(const Host& host);

  /// Lines of the configuration that are not followed: one sentence each.
  const std::vector<std::string>& notes() const { return config_.notes(); }

 private:
  Credentials credentials_for(SshSettings settings, const std::string& required_key);
  std::shared_ptr<const Hop> through(const std::vector<std::string>& jumps);

  SshOptions options_;
  SshConfig config_;
  KnownHosts known_hosts_;
  KeyRing keys_;
  std::shared_ptr<NewKeys> new_keys_ = std::make_shared<NewKeys>();
  std::map<std::vector<std::string>, std::shared_ptr<const Hop>> jumps_;
  int depth_ = 0;  ///< Of the recursion of through().
};

}  // namespace adarun::launcher
