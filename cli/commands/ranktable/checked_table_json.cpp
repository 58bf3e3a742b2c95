// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "base/clean_text.h"
#include "cli/commands/ranktable/checked_table.h"

namespace adarun::cli {
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
