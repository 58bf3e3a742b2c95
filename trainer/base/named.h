// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/base/error.h"

namespace adarun::trainer {

/// The names in a table of things that users choose by name (each with a member `name`), in its order.
template <typename Table>
std::vector<std::string> names_in(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

/// The entry of `table` called `name`. Throws Error (usage) where there is none: `model "vgg": not one of
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
