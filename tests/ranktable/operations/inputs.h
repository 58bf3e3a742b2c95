// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ranktable/operations/merge.h"

namespace adarun::ranktable {

/// A server of two cards with addresses from `number` on and ranks from `first_rank` on.
inline Server server(const std::string& id, int number, int first_rank = 0) {
  const std::string net = "192.168." + std::to_string(number) + ".";
  return {id, "reserve", {{0, net + "1", first_rank}, {1, net + "2", first_rank + 1}}};
}

inline MergeInput input(const std::string& name, std::vector<Server> servers) {
  Table table;
  table.servers = std::move(servers);
  return {name, table};
}

}  // namespace adarun::ranktable
