// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// Checks "$.status", for every schema with a status.
void check_status(const std::string& status, const ValidateOptions& options, Findings& findings);

/// Checks the server_id at `path`: present, not a placeholder, not too long, only safe characters.
void check_server_id(const std::string& server_id, const std::string& path, Findings& findings);

/// Checks any other name at `path`, such as that of a pod or a group: no control characters.
void check_name(const std::string& text, const std::string& path, Findings& findings);

/// Reports a count at `path` if the parser found it `wrong`; it should be `right`.
void check_count(const std::optional<std::string>& wrong, std::size_t right, const Rule& rule,
                 const std::string& path, Findings& findings);

}  // namespace adarun::ranktable
