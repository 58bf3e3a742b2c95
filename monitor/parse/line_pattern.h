// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "monitor/parse/loss_line.h"
#include "monitor/parse/metric_line.h"

namespace adarun::monitor {

/// A user's own format of a line: a regular expression as RE2 takes it, which finds its values by groups of
/// these names, written "(?<loss>...)" or "(?P<loss>...)": loss, epoch, epochs, step, steps (of an epoch),
/// time (of a step, in ms), lr, throughput (images/s), accuracy (0 to 1). It may match anywhere in a line,
/// and takes time in proportion to the line, whatever it is.
class LinePattern {
 public:
  /// Throws Error that says what is wrong and where: no regular expression, an unknown name, no name at all.
  explicit LinePattern(std::string_view text);

  /// What a line says.
  struct Match {
    std::optional<LossLine> loss;
    std::optional<MetricLine> metrics;
  };

  /// Nothing where the line does not match, or where a group has matched what is no number.
  std::optional<Match> read(std::string_view line) const;

 private:
  enum Name { loss, epoch, epochs, step, steps, time, lr, throughput, accuracy, names };

  void name_groups(std::string_view text);

  struct Expression;  ///< RE2's.
  std::shared_ptr<const Expression> expression_;
  std::array<int, names> group_of_{};  ///< 0: the pattern has none of that name.
};

}  // namespace adarun::monitor
