// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "launcher/job/report.h"
#include "launcher/plan/plan.h"

namespace adarun::launcher {

/// The first failures of a job's attempts: whether a node is to blame for them, or the program.
class FailureHistory {
 public:
  /// An attempt has ended. Returns whether a rank failed by itself; after another failure, attempts before it
  /// count no more.
  bool add(const Plan& plan, const JobReport& report);

  /// Attempts before this one count no more.
  void clear() { entries_.clear(); }

  /// The node on which, alone, ranks failed first in both of the last two attempts.
  std::optional<std::string> suspect() const;

  /// How ranks fail wherever they run: in the last two attempts or more a rank failed in the same way, and on
  /// several nodes. "exit code 7 on node1 and node3".
  std::optional<std::string> everywhere() const;

 private:
  struct Entry {
    std::uint32_t rank;
    std::string how;              ///< "exit code 7".
    std::set<std::string> nodes;  ///< Of the ranks that failed first, at the same time.

    bool is_like(const Entry& other) const;
  };

  std::vector<Entry> entries_;
};

}  // namespace adarun::launcher
