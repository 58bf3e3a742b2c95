// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace adarun::ranktable {

/// What to check besides a table's own rules.
enum class Profile {
  none,
  hccl,    ///< HCCL accepts it: no plain table, and nothing that HCCL would wait for.
  adasum,  ///< AdaSum accepts its number of devices.
};

enum class Generation { ascend910, a2, a3, ascend950 };

struct ValidateOptions {
  Profile profile = Profile::none;
  /// Violated rules of this generation are errors. If unset, those of each generation are warnings that name
  /// it.
  std::optional<Generation> generation = std::nullopt;
};

}  // namespace adarun::ranktable
