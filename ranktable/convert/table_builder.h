// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <utility>

#include "ranktable/model.h"

namespace adarun::ranktable {

/// Sorts devices that come one by one into their servers.
class TableBuilder {
 public:
  /// Adds a device to its server, and the server behind the others where it is new. True where it is.
  bool add(const std::string& server_id, Device device) {
    const auto [place, is_new] = places_.emplace(server_id, table_.servers.size());
    if (is_new) table_.servers.push_back({server_id, "", {}});
    table_.servers[place->second].devices.push_back(std::move(device));
    return is_new;
  }

  Table take() { return std::move(table_); }

 private:
  Table table_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace adarun::ranktable
