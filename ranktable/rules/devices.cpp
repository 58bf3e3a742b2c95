// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>

#include "ranktable/decimal.h"
#include "ranktable/json/json_text.h"
#include "ranktable/rules/rules.h"

namespace adarun::ranktable {
namespace {

// The largest of any generation with tables of version 1.0 (310P).
constexpr int max_device_id = 31;

void check_ids(const Server& server, std::size_t index, bool plain, Findings& findings) {
  std::map<int, std::size_t> seen;
  for (std::size_t i = 0; i < server.devices.size(); ++i) {
    const int id = server.devices[i].device_id;
    if (id < 0) continue;
    const std::string path = path_of(index, i) + ".device_id";
    const std::string found = in_quotes(std::to_string(id));
    if (!plain && id > max_device_id)
      findings.push_back(
          {Severity::error, path, "must be 0 to " + std::to_string(max_device_id), "EI0014", found});
    const auto [other, is_new] = seen.emplace(id, i);
    if (!is_new)
      findings.push_back({Severity::error, path,
                          "must be once in its server, but " + path_of(index, other->second) + " has it too",
                          "EI0014", found});
  }
}

void check_port(const Extra& extra, const std::string& path, Findings& findings) {
  const Json value = parse_json(extra.json);
  const std::optional<int> port =
      value.is(Json::Kind::string) ? parse_decimal(value.text) : std::optional<int>();
  if (!port || *port < 1 || *port > 65535)
    findings.push_back({Severity::error, path, "must be a port, \"1\" to \"65535\"", "EI0014", shown(value)});
  else if (*port < 1024)
    findings.push_back({Severity::warning, path, "ports below 1024 are advised against", "", shown(value)});
}

}  // namespace

void check_devices(const Table& table, Findings& findings) {
  const bool plain = is_plain(table);
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    check_ids(server, i, plain, findings);
    for (std::size_t j = 0; j < server.devices.size(); ++j)
      for (const Extra& extra : server.devices[j].extras)
        if (extra.name == "device_port" || extra.name == "host_port")
          check_port(extra, path_of(i, j) + "." + extra.name, findings);
  }
}

}  // namespace adarun::ranktable
