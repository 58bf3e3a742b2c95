// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ranktable/model/table.h"

namespace adarun::ranktable {

/// The port in a field of a 1.x device, if it is device_port or host_port and its value is valid.
std::optional<int> port_of(const Extra& field);

/// `port_of` the field of that name; nothing if there is none.
std::optional<int> find_port(const Device& device, std::string_view name);

/// Makes such a field.
Extra port_field(std::string_view name, int port);

}  // namespace adarun::ranktable
