// SPDX-License-Identifier: Apache-2.0
#include "ranktable/rules/common_fields.h"

#include "ranktable/model/address.h"
#include "ranktable/model/quote.h"
#include "ranktable/model/server_name.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_completed{"status must be \"completed\": HCCL waits 30 minutes for it", "EI0014",
                            "wait for what makes the table, or write \"completed\" where it is whole"};
constexpr Rule id_is_there{"server_id must not be empty", "EI0014", "write the server's address or name"};
constexpr Rule id_is_short{"server_id must have at most 64 characters", "EI0014",
                           "write the server's address or a shorter name"};
constexpr Rule id_is_known{"server_id must be an id, not a placeholder", "EI0014",
                           "write the server's address or name"};
constexpr Rule id_is_name{
    "server_id must hold letters, digits and . _ - : % alone, the first none of . - %", "",
    "write the server's address or name: it becomes a host's name, a word of commands and a line of scripts"};
constexpr Rule is_one_line{"a name must hold no control characters", "",
                           "write it without line ends, tabs and their like"};

}  // namespace

void check_status(const std::string& status, const ValidateOptions& options, Findings& findings) {
  if (status == "completed") return;
  Rule rule = is_completed;
  if (status == "initializing" && options.profile != Profile::hccl) rule.severity = Severity::warning;
  report(findings, rule, "$.status", in_quotes(status));
}

void check_server_id(const std::string& server_id, const std::string& path, Findings& findings) {
  const std::string found = in_quotes(server_id);
  if (server_id.empty()) return report(findings, id_is_there, path, found);
  if (characters(server_id) > max_server_id_characters) report(findings, id_is_short, path, found);
  if (is_placeholder(server_id)) return report(findings, id_is_known, path, found);
  if (!is_server_name(server_id)) report(findings, id_is_name, path, found);
}

void check_name(const std::string& text, const std::string& path, Findings& findings) {
  if (has_control_characters(text)) report(findings, is_one_line, path, in_quotes(text));
}

void check_count(const std::optional<std::string>& wrong, std::size_t right, const Rule& rule,
                 const std::string& path, Findings& findings) {
  if (wrong) report(findings, rule, path, in_quotes(*wrong) + ", where there are " + std::to_string(right));
}

}  // namespace adarun::ranktable
