// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/base/error.h"

namespace adarun::trainer {

/// The names in a table of entries that users select by name (each has a member `name`), in table order.
template <typename Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

/// The entry of `table` with this name. Throws Error (usage) if there is none: `model "vgg": not one of
/// lenet5, mlp`.
template <typename Table>
const auto& entry_named(const Table& table, const std::string& kind, const std::string& name) {
  std::string known;
  for (const auto& entry : table) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw Error(kind + " \"" + name + "\": not one of " + known, Exit::usage);
}

}  // namespace adarun::trainer
