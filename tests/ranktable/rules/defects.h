// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ranktable/validate.h"
#include "tests/ranktable/good_tables.h"

namespace adarun::ranktable {

/// The expected finding: all but its advice.
struct Wanted {
  Severity severity;
  std::string path;
  std::string rule;
  std::string found;
  std::string code = "EI0014";
};

/// A good table with one defect, and all expected findings.
struct Defect {
  AnyTable table;
  std::vector<Wanted> findings;
  ValidateOptions options = {};
};

inline constexpr Severity error = Severity::error;
inline constexpr Severity warning = Severity::warning;
inline constexpr Severity note = Severity::note;
inline constexpr ValidateOptions for_a3{Profile::none, Generation::a3};

/// `table` after `change`.
template <typename Kind>
AnyTable with(Kind table, void (*change)(Kind&)) {
  change(table);
  return table;
}

std::vector<Defect> defects_of_1_0();
std::vector<Defect> defects_by_generation();
std::vector<Defect> defects_of_1_2();
std::vector<Defect> defects_of_cloud();
std::vector<Defect> defects_of_lab();
std::vector<Defect> defects_of_2_0();
std::vector<Defect> defects_of_server_group();

}  // namespace adarun::ranktable
