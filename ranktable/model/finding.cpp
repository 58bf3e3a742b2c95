// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/finding.h"

#include <algorithm>
#include <utility>

#include "ranktable/model/error.h"
#include "ranktable/model/quote.h"

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

void report_again(Findings& findings, const Rule& rule, const std::string& path, const std::string& found,
                  const std::string& first) {
  report(findings, rule, path, found + ", which " + first + " has too");
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

namespace {

constexpr std::size_t longest_bare_name = 64;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

}  // namespace

std::string member_step(std::string_view name) {
  const bool bare = !name.empty() && name.size() <= longest_bare_name &&
                    std::all_of(name.begin(), name.end(), is_name_letter);
  return bare ? "." + std::string(name) : "[" + in_quotes(name) + "]";
}

std::string item_path(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

std::string Path::text() const {
  if (parent_ == nullptr) return "$";
  return item_path(parent_->text() + "." + std::string(list_), index_);
}

}  // namespace adarun::ranktable
