// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host.h"
#include "launcher/hosts/host_words.h"

namespace adarun::launcher {

/// "node1:0,1, user=me port=22;node2:0,;": hosts with their devices, user and port.
inline std::string shown(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    text += host.name + ":";
    if (host.asked_kind) text += name_of(*host.asked_kind);
    for (const int device : host.devices) text += std::to_string(device) + ",";
    if (!host.user.empty()) text += " user=" + host.user;
    if (host.port != 0) text += " port=" + std::to_string(host.port);
    text += ";";
  }
  return text;
}

}  // namespace adarun::launcher
