// SPDX-License-Identifier: Apache-2.0
// Checks optional fields that HCCL reads and that the model keeps unchanged.
#include <optional>
#include <string_view>

#include "ranktable/model/address.h"
#include "ranktable/model/decimal.h"
#include "ranktable/schemas/v1/check.h"

namespace adarun::ranktable {
namespace {

constexpr Rule is_address{"an address must be IPv4 or IPv6", "EI0014",
                          "write the address in full, or leave the field out"};
constexpr Rule is_port{"a port must be \"1\" to \"65535\"", "EI0014",
                       "write a free port as a string, such as \"16666\", or leave the field out"};
constexpr Rule is_high_port{"ports below 1024 are advised against", "", "write a free port from 1024 on",
                            Severity::warning};

constexpr std::size_t max_shown_bytes = 80;

// The value of a JSON string; nothing if it is not a string or has escapes, which no port or address needs.
std::optional<std::string_view> text_of(std::string_view json) {
  if (json.size() < 2 || json.front() != '"' || json.find('\\') != std::string_view::npos)
    return std::nullopt;
  return json.substr(1, json.size() - 2);
}

std::string shown(const Extra& extra) {
  return extra.json.size() <= max_shown_bytes ? extra.json : extra.json.substr(0, max_shown_bytes) + "...";
}

void check_address(const Extra& extra, const std::string& path, Findings& findings) {
  const auto text = text_of(extra.json);
  if (!text || !parse_address(*text)) report(findings, is_address, path + "." + extra.name, shown(extra));
}

void check_port(const Extra& extra, const std::string& path, Findings& findings) {
  const auto text = text_of(extra.json);
  const std::optional<int> port = text ? parse_decimal(*text) : std::nullopt;
  if (!port || *port < 1 || *port > 65535)
    report(findings, is_port, path + "." + extra.name, shown(extra));
  else if (*port < 1024)
    report(findings, is_high_port, path + "." + extra.name, shown(extra));
}

}  // namespace

void check_optional_fields(const Table& table, Findings& findings) {
  for (std::size_t i = 0; i < table.servers.size(); ++i) {
    const Server& server = table.servers[i];
    for (const Extra& extra : server.extras)
      if (extra.name == "host_ip") check_address(extra, path_of(i), findings);
    for (std::size_t j = 0; j < server.devices.size(); ++j)
      for (const Extra& extra : server.devices[j].extras) {
        if (extra.name == "device_port" || extra.name == "host_port" || extra.name == "backup_device_port")
          check_port(extra, path_of(i, j), findings);
        if (extra.name == "backup_device_ip" && extra.json != "\"\"")
          check_address(extra, path_of(i, j), findings);
      }
  }
}

}  // namespace adarun::ranktable
