// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace adarun::launcher::agent {

/// `path`, or the nearest folder on the way to it, that another user made in a folder where anyone may make
/// entries (/tmp): that user can change what is there at any time. Nothing if there is none. Root is not
/// another user, and what is mounted there is nobody's entry.
std::optional<std::string> foreign_place(const std::string& path);

}  // namespace adarun::launcher::agent
