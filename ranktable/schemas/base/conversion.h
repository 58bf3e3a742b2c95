// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// What a conversion writes of its own accord, a line each.
using Additions = std::vector<std::string>;

/// Throws Error on a server whose server_id HCCL does not take.
void require_server_ids(const Table& table);

/// Sorts devices that come one by one into their servers.
class TableBuilder {
 public:
  /// Adds a device to its server, and the server behind the others where it is new. True where it is.
  bool add(const std::string& server_id, Device device);

  Table take() { return std::move(table_); }

 private:
  Table table_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace adarun::ranktable
