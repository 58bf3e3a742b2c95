// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace adarun::launcher {

/// What to do about a host whose key is in no known_hosts file. A changed key is always refused.
enum class HostKey {
  strict,      ///< Refuse it.
  accept_new,  ///< Add it to the user's known_hosts file.
};

/// How to reach hosts by SSH. Empty or 0: as ~/.ssh/config says, else ssh's default.
struct SshOptions {
  std::string config_file = {};  ///< Instead of ~/.ssh/config.
  std::string identity = {};     ///< A private key file, the only one to be tried.
  std::string user = {};
  int port = 0;
  std::optional<HostKey> host_key = {};
};

}  // namespace adarun::launcher
