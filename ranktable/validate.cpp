// SPDX-License-Identifier: Apache-2.0
#include "ranktable/validate.h"

#include <algorithm>
#include <set>

#include "ranktable/adasum_rule.h"
#include "ranktable/error.h"
#include "ranktable/parse.h"
#include "ranktable/rules/every_schema.h"
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

void check_profile(const Roster& roster, const ValidateOptions& options, Findings& findings) {
  if (options.profile != Profile::adasum) return;
  if (const auto refusal = adasum_refusal(roster.entries.size()))
    report(findings,
           {*refusal, "", "take 16, 32, 64, ... devices; for an experiment: adarun train --adasum-world any"},
           roster.root_path(), std::to_string(roster.entries.size()) + " devices");
}

Findings validate_one(const Table& table, const ValidateOptions& options) {
  return validate(table, options);
}

Findings validate_one(const CloudTable& table, const ValidateOptions& options) {
  Findings findings;
  const Roster roster = roster_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_cloud(table, findings);
  check_device_ids(roster, findings);
  check_addresses(roster, options, findings);
  check_generations(roster, options, findings);
  check_profile(roster, options, findings);
  return findings;
}

Findings validate_one(const LabTable& table, const ValidateOptions& options) {
  Findings findings;
  const Roster roster = roster_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_lab(table, findings);
  check_device_ids(roster, findings);
  check_ranks(roster, findings);
  check_addresses(roster, options, findings);
  check_generations(roster, options, findings);
  check_profile(roster, options, findings);
  return findings;
}

Findings validate_one(const RankListTable& table, const ValidateOptions& options) {
  Findings findings;
  const Roster roster = roster_of(table);
  check_unknown_fields(table, findings);
  check_rank_list(table, findings);
  check_ranks(roster, findings);
  check_generations(roster, options, findings);
  check_profile(roster, options, findings);
  return findings;
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
  const Roster roster = roster_of(table);
  check_status(table.status, options, findings);
  check_unknown_fields(table, findings);
  check_servers(table, findings);
  check_super_pods(table, findings);
  check_optional_fields(table, findings);
  check_device_ids(roster, findings);
  check_ranks(roster, findings);
  check_addresses(roster, options, findings);
  check_generations(roster, options, findings);
  advise_equal_pods(table, options, findings);
  check_profile(roster, options, findings);
  return findings;
}

std::vector<Finding> validate(const AnyTable& table, const ValidateOptions& options) {
  return std::visit([&](const auto& each) { return validate_one(each, options); }, table);
}

Report validate_text(std::string_view text, const std::string& name, const ValidateOptions& options) {
  Report report;
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

Report validate_file(const std::filesystem::path& path, const ValidateOptions& options) {
  return validate_text(read_text(path), path.string(), options);
}

bool is_valid(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& finding) { return finding.severity == Severity::error; });
}

void require_valid(const std::vector<Finding>& findings, const std::string& name) {
  const auto is_error = [](const Finding& finding) { return finding.severity == Severity::error; };
  const auto first = std::find_if(findings.begin(), findings.end(), is_error);
  if (first == findings.end()) return;
  const auto others = std::count_if(first + 1, findings.end(), is_error);
  throw Error(name + ": " + describe(*first) +
              (others > 0 ? " (and " + std::to_string(others) + " more)" : std::string()));
}

}  // namespace adarun::ranktable
