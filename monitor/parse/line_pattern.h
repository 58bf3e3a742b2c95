// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "monitor/parse/loss_line.h"
#include "monitor/parse/metric_line.h"

namespace re2 {
class RE2;
}

namespace adarun::monitor {

/// A line format defined by the user: a regular expression in RE2's syntax whose named groups, written
/// "(?<loss>...)" or "(?P<loss>...)", give the values. The names: loss, validation (a loss too), epoch,
/// epochs, step, steps (of an epoch), time (of a step, in ms), lr, throughput (images/s), accuracy (0 to 1).
/// It may match anywhere in a line. Matching time is linear in the length of the line, whatever the pattern.
class LinePattern {
 public:
  /// Throws Error, which says what is wrong and where, if the text is not a regular expression, has an
  /// unknown name or no name at all.
  explicit LinePattern(std::string_view text);

  /// The values found in a line.
  struct Match {
    std::optional<LossLine> loss;
    std::optional<MetricLine> metrics;
    std::optional<LossLine> validation;  ///< At the same epoch and step as the loss.
  };

  /// Nothing if the line does not match, or if a group matched text that is not a number.
  std::optional<Match> read(std::string_view line) const;

 private:
  enum Name { loss, epoch, epochs, step, steps, time, lr, throughput, accuracy, validation, names };

  void name_groups(std::string_view text);

  std::shared_ptr<const re2::RE2> expression_;
  std::array<int, names> group_of_{};  ///< 0: the pattern has none of that name.
};

}  // namespace adarun::monitor
