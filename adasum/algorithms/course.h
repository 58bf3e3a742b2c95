// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace adasum::algorithms {

/// One way to combine a list of tensors, made ready.
class Course {
 public:
  virtual ~Course() = default;

  /// As Plan::run().
  virtual std::optional<int> run() = 0;
};

}  // namespace adasum::algorithms
