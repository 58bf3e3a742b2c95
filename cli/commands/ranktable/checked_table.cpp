// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/ranktable/checked_table.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clean_text.h"
#include "base/describe.h"
#include "cli/console/terminal.h"

namespace adarun::cli {
namespace {

using ranktable::Finding;
using ranktable::Severity;

constexpr std::size_t shown_of_a_rule = 3;

// Findings of one rule: the first few, and how many there are.
struct FindingGroup {
  std::vector<const Finding*> shown;
  std::size_t count = 0;
};

// Errors first, otherwise in the order of their first finding.
std::vector<FindingGroup> groups_of(const std::vector<Finding>& findings, bool errors_only) {
  using Key = std::tuple<Severity, std::string_view, std::string_view>;
  std::vector<FindingGroup> groups;
  std::map<Key, std::size_t> places;
  for (const Finding& finding : findings) {
    if (errors_only && finding.severity != Severity::error) continue;
    // Not std::tuple(...): that would copy the strings, and the views would point to the copies.
    const Key key(finding.severity, finding.rule, finding.code);
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    FindingGroup& group = groups[place->second];
    if (++group.count <= shown_of_a_rule) group.shown.push_back(&finding);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const FindingGroup& left, const FindingGroup& right) {
    return left.shown[0]->severity > right.shown[0]->severity;
  });
  return groups;
}

AnsiStyle style_of(Severity severity) {
  if (severity == Severity::note) return AnsiStyle::cyan;
  return severity == Severity::warning ? AnsiStyle::yellow : AnsiStyle::bold_red;
}

std::string verdict(const CheckedTable& checked, const AnsiColors& paint) {
  const ranktable::AnyTable& table = checked.report.table;
  if (checked.is_valid())
    return paint(AnsiStyle::green, "valid") + ", " + base::counted(server_count(table), "server") + ", " +
           base::counted(device_count(table), "device");
  const auto count = [&checked](Severity severity) {
    const std::vector<Finding>& findings = checked.report.findings;
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [severity](const Finding& each) { return each.severity == severity; }));
  };
  return paint(AnsiStyle::bold_red, "not valid") + ", " + base::counted(count(Severity::error), "error") +
         ", " + base::counted(count(Severity::warning), "warning");
}

}  // namespace

std::string as_text(const CheckedTable& checked, const ReportStyle& style) {
  if (style.quiet && checked.is_valid()) return "";
  const AnsiColors paint(style.color);
  std::string text = paint(AnsiStyle::bold, checked.file) + ": " + verdict(checked, paint) + "\n";
  for (const FindingGroup& group : groups_of(checked.report.findings, style.quiet)) {
    const Finding& first = *group.shown.front();
    for (const Finding* finding : group.shown)
      text += "  " + paint(style_of(finding->severity), name(finding->severity)) + ": " +
              base::clean_line(describe(*finding)) + "\n";
    if (group.count > group.shown.size())
      text += "    and " + base::grouped(group.count - group.shown.size()) + " more like it\n";
    if (!first.mend.empty()) text += "    to mend: " + first.mend + "\n";
  }
  return text;
}

namespace {

using Json = nlohmann::ordered_json;

// Values may contain bytes of a file that are not UTF-8.
std::string dump(const Json& json) {
  return base::escape_controls(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// One finding per line: a table of 65,536 ranks may have as many findings.
std::string as_line(const ranktable::Finding& finding) {
  return dump({{"severity", name(finding.severity)},
               {"path", finding.path},
               {"rule", finding.rule},
               {"code", finding.code},
               {"found", finding.found},
               {"mend", finding.mend}});
}

std::string member(const char* key, const Json& value) {
  return "    " + dump(key) + ": " + dump(value);
}

}  // namespace

std::string as_json(const CheckedTable& checked) {
  const std::string head =
      "  {\n" + member("file", checked.file) + ",\n" + member("valid", checked.is_valid()) + ",\n";
  if (!checked.is_read()) return head + member("error", checked.error) + "\n  }";
  const ranktable::AnyTable& table = checked.report.table;
  const Json schema = checked.report.has_schema ? Json(ranktable::name(schema_of(table))) : Json();
  std::string text = head + member("schema", schema) + ",\n" + member("servers", server_count(table)) +
                     ",\n" + member("devices", device_count(table)) + ",\n    \"findings\": [";
  const char* separator = "\n      ";
  for (const ranktable::Finding& finding : checked.report.findings) {
    text += separator + as_line(finding);
    separator = ",\n      ";
  }
  return text + (checked.report.findings.empty() ? "]\n  }" : "\n    ]\n  }");
}

}  // namespace adarun::cli
