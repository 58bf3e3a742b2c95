// SPDX-License-Identifier: Apache-2.0
#include "ranktable/validate.h"

#include <algorithm>
#include <set>

#include "ranktable/adasum_rule.h"
#include "ranktable/error.h"
#include "ranktable/parse.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

// Whether `paths` has `path` or something it is a part of.
bool has_or_contains(const std::set<std::string>& paths, std::string path) {
  while (!path.empty()) {
    if (paths.count(path) != 0) return true;
    const std::size_t cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  return false;
}

}  // namespace

std::string path_of(std::size_t server) {
  return "$.server_list[" + std::to_string(server) + "]";
}

std::string path_of(std::size_t server, std::size_t device) {
  return path_of(server) + ".device[" + std::to_string(device) + "]";
}

std::vector<Finding> validate(const Table& table, const ValidateOptions& options) {
  Findings findings;
  check_servers(table, options, findings);
  check_devices(table, findings);
  check_ranks(table, findings);
  check_addresses(table, options, findings);
  if (!is_plain(table)) check_generations(table, options, findings);
  if (options.profile == Profile::adasum)
    if (const auto refusal = adasum_refusal(device_count(table)))
      findings.push_back(
          {Severity::error, "$.server_list", *refusal, "", std::to_string(device_count(table)) + " devices"});
  return findings;
}

Report validate_text(std::string_view text, const std::string& name, const ValidateOptions& options) {
  Examined examined = examine(text, name);
  std::set<std::string> reported;
  for (const Finding& finding : examined.findings) reported.insert(finding.path);
  Report report{std::move(examined.table), std::move(examined.findings)};
  if (reported.count("$") != 0 || reported.count("$.version") != 0) return report;
  for (Finding& finding : validate(report.table, options))
    if (!has_or_contains(reported, finding.path)) report.findings.push_back(std::move(finding));
  return report;
}

bool is_valid(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::error; });
}

void require_valid(const Table& table, const std::string& name, const ValidateOptions& options) {
  const std::vector<Finding> findings = validate(table, options);
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  const auto first = std::find_if(findings.begin(), findings.end(), is_error);
  if (first == findings.end()) return;
  const auto others = std::count_if(first + 1, findings.end(), is_error);
  throw Error(name + ": " + describe(*first) +
              (others > 0 ? " (and " + std::to_string(others) + " more)" : std::string()));
}

}  // namespace adarun::ranktable
