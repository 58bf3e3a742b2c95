// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/finding.h"

#include <algorithm>
#include <utility>

#include "ranktable/model/error.h"

namespace adarun::ranktable {
namespace {

bool is_error(const Finding& finding) {
  return finding.severity == Severity::error;
}

}  // namespace

void report(Findings& findings, const Rule& rule, std::string path, std::string found) {
  findings.push_back({rule.severity, std::move(path), std::string(rule.wanted), std::string(rule.code),
                      std::move(found), std::string(rule.mend)});
}

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

bool is_valid(const Findings& findings) {
  return std::none_of(findings.begin(), findings.end(), is_error);
}

void require_valid(const Findings& findings, const std::string& name) {
  const auto first = std::find_if(findings.begin(), findings.end(), is_error);
  if (first == findings.end()) return;
  const auto others = std::count_if(first + 1, findings.end(), is_error);
  throw Error(name + ": " + describe(*first) +
              (others > 0 ? " (and " + std::to_string(others) + " more)" : std::string()));
}

}  // namespace adarun::ranktable
