// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace adarun::base {

/// Where editors find the schema of a file that users write, as the value of its "$schema":
/// file:///usr/share/doc/adarun/docs/spec.schema.json for "spec". `program`: of the prefix where it is
/// installed, as bin/adarun; where that has no such schema, the address is the one below /usr.
std::string schema_address(const std::string& name, const std::filesystem::path& program = "/proc/self/exe");

}  // namespace adarun::base
