// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace adarun::monitor::web {

/// A histogram of step durations in little memory, with buckets 2 % apart.
class StepTimes {
 public:
  /// Adds `steps` steps that took `ms` each. Durations that are not above 0 are ignored.
  void add(double ms, std::uint64_t steps = 1);

  bool empty() const { return counts_.empty(); }

  struct Bar {
    double from_ms = 0;
    double to_ms = 0;
    std::uint64_t steps = 0;
  };

  /// At most `most` bars of equal width that cover all but 0.1 % of the steps at either end; those are
  /// counted in the first and last bar.
  std::vector<Bar> bars(std::size_t most) const;

  /// The duration that this part of the steps (0.5: half of them) does not exceed; nothing if there are no
  /// steps.
  std::optional<double> quantile(double part) const;

 private:
  std::map<int, std::uint64_t> counts_;  ///< By the logarithm of the duration.
  std::uint64_t steps_ = 0;
};

}  // namespace adarun::monitor::web
