// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ranktable/address.h"
#include "ranktable/json/json_text.h"
#include "ranktable/rules/limits.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

void check_status(const Table& table, const ValidateOptions& options, Findings& findings) {
  if (table.status == "completed") return;
  const bool initializing = table.status == "initializing";
  const bool strict = !initializing || options.profile == Profile::hccl;
  findings.push_back({strict ? Severity::error : Severity::warning, "$.status",
                      "must be \"completed\": HCCL waits 30 minutes for it", "EI0014",
                      in_quotes(table.status)});
}

void check_server_id(const Server& server, const std::string& path, Findings& findings) {
  const auto report = [&](const std::string& rule) {
    findings.push_back({Severity::error, path, rule, "EI0014", in_quotes(server.server_id)});
  };
  if (server.server_id.empty()) report("must not be empty");
  if (characters(server.server_id) > max_server_id_characters) report("must have at most 64 characters");
  if (is_placeholder(server.server_id)) report("must be an id, not a placeholder");
}

void check_host_ip(const Server& server, const std::string& path, Findings& findings) {
  for (const Extra& extra : server.extras) {
    if (extra.name != "host_ip") continue;
    const Json value = parse_json(extra.json);
    if (value.is(Json::Kind::string) && parse_address(value.text)) continue;
    findings.push_back(
        {Severity::error, path + ".host_ip", "must be an IPv4 or IPv6 address", "EI0014", shown(value)});
  }
}

}  // namespace

void check_servers(const Table& table, const ValidateOptions& options, Findings& findings) {
  check_status(table, options, findings);
  if (table.wrong_server_count)
    findings.push_back({Severity::error, "$.server_count",
                        "must be the number of servers, " + std::to_string(table.servers.size()), "EI0014",
                        in_quotes(*table.wrong_server_count)});
  if (table.servers.empty())
    findings.push_back({Severity::error, "$.server_list", "must have at least one server", "EI0014", ""});
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    check_server_id(server, path_of(i) + ".server_id", findings);
    check_host_ip(server, path_of(i), findings);
    const auto [other, is_new] = seen.emplace(server.server_id, i);
    if (!is_new)
      findings.push_back({Severity::error, path_of(i) + ".server_id",
                          "must be of one server only, but " + path_of(other->second) + " has it too",
                          "EI0014", in_quotes(server.server_id)});
    if (server.devices.empty())
      findings.push_back(
          {Severity::error, path_of(i) + ".device", "must have at least one device", "EI0014", ""});
  }
}

}  // namespace adarun::ranktable
