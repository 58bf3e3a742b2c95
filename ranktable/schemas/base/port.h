// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The port that a field of a 1.x device says, where it is device_port or host_port and its value a port.
std::optional<int> port_of(const Extra& field);

/// `port_of` the field of that name; nothing where there is none.
std::optional<int> find_port(const Device& device, std::string_view name);

/// Such a field.
Extra port_field(std::string_view name, int port);

}  // namespace adarun::ranktable
