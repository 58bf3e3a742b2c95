// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace adarun::ranktable {

/// What a table is checked for besides its own rules.
enum class Profile {
  none,
  hccl,    ///< That HCCL takes it: no plain table, nothing that it would wait for.
  adasum,  ///< That AdaSum takes its number of devices.
};

enum class Generation { ascend910, a2, a3, ascend950 };

struct ValidateOptions {
  Profile profile = Profile::none;
  /// Rules of this generation are errors. Unset: rules of each generation are warnings that name it.
  std::optional<Generation> generation = std::nullopt;
};

}  // namespace adarun::ranktable
