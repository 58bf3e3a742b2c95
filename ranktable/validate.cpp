// SPDX-License-Identifier: Apache-2.0
#include "ranktable/validate.h"

#include <set>
#include <utility>

#include "ranktable/parse.h"
#include "ranktable/schemas/schemas.h"

namespace adarun::ranktable {
namespace {

// Whether `paths` contains `path` or a path that encloses it.
bool has_or_contains(const std::set<std::string>& paths, std::string path) {
  while (!path.empty()) {
    if (paths.count(path) != 0) return true;
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return false;
}

}  // namespace

Findings validate(const Table& table, const ValidateOptions& options) {
  Findings findings;
  check(table, options, findings);
  return findings;
}

Findings validate(const AnyTable& table, const ValidateOptions& options) {
  Findings findings;
  std::visit([&](const auto& each) { check(each, options, findings); }, table);
  return findings;
}

ValidationReport validate_text(std::string_view text, const std::string& name,
                               const ValidateOptions& options) {
  ValidationReport report;
  ExaminedAny examined = examine_any(text, name);
  std::set<std::string> reported;
  for (const Finding& finding : examined.findings) reported.insert(finding.path);
  report = {reported.count("$") == 0 && reported.count("$.version") == 0, std::move(examined.table),
            std::move(examined.findings)};
  if (!report.has_schema) return report;
  for (Finding& finding : validate(report.table, options))
    if (!has_or_contains(reported, finding.path)) report.findings.push_back(std::move(finding));
  return report;
}

ValidationReport validate_file(const std::filesystem::path& path, const ValidateOptions& options) {
  return validate_text(read_text(path), path.string(), options);
}

}  // namespace adarun::ranktable
