// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace adarun::monitor::web {

/// How long steps took: a histogram of any number of them in little memory, counted 2 % apart.
class StepTimes {
 public:
  /// `steps` steps took `ms` each. What is not above 0 is left out.
  void add(double ms, std::uint64_t steps = 1);

  bool empty() const { return counts_.empty(); }

  struct Bar {
    double from_ms = 0;
    double to_ms = 0;
    std::uint64_t steps = 0;
  };

  /// At most `most` bars of equal widths that hold all but the thousandth part at either end; that part is
  /// in the first and last one.
  std::vector<Bar> bars(std::size_t most) const;

  /// The time that this part of the steps (0.5: half of them) stay below; nothing without any.
  std::optional<double> quantile(double part) const;

 private:
  std::map<int, std::uint64_t> counts_;  ///< By the logarithm of the time.
  std::uint64_t steps_ = 0;
};

}  // namespace adarun::monitor::web
