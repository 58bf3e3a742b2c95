// SPDX-License-Identifier: Apache-2.0
#include "ranktable/schemas/base/port.h"

#include "ranktable/model/decimal.h"

namespace adarun::ranktable {
namespace {

constexpr int last_port = 65535;

}  // namespace

std::optional<int> port_of(const Extra& field) {
  if (field.name != "device_port" && field.name != "host_port") return std::nullopt;
  const std::string_view json = field.json;
  if (json.size() < 2 || json.front() != '"') return std::nullopt;
  const std::optional<int> port = parse_decimal(json.substr(1, json.size() - 2));
  return port && *port >= 1 && *port <= last_port ? port : std::nullopt;
}

std::optional<int> find_port(const Device& device, std::string_view name) {
  for (const Extra& field : device.extras)
    if (field.name == name) return port_of(field);
  return std::nullopt;
}

Extra port_field(std::string_view name, int port) {
  return {std::string(name), "\"" + std::to_string(port) + "\""};
}

}  // namespace adarun::ranktable
