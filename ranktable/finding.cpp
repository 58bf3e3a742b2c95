// SPDX-License-Identifier: Apache-2.0
#include "ranktable/finding.h"

namespace adarun::ranktable {

std::string name(Severity severity) {
  if (severity == Severity::note) return "note";
  return severity == Severity::warning ? "warning" : "error";
}

std::string describe(const Finding& finding) {
  std::string line = finding.path + ": " + finding.rule;
  if (!finding.found.empty()) line += ", found " + finding.found;
  if (!finding.code.empty()) line += " [" + finding.code + "]";
  return line;
}

}  // namespace adarun::ranktable
