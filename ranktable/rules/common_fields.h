// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"

namespace adarun::ranktable {

/// "$.status", of any schema with a status.
void check_status(const std::string& status, const ValidateOptions& options, Findings& findings);

/// A server_id at `path`: there, no placeholder, not too long, of letters that are safe wherever it goes.
void check_server_id(const std::string& server_id, const std::string& path, Findings& findings);

/// Any other name at `path`, such as that of a pod or a group: without control characters.
void check_name(const std::string& text, const std::string& path, Findings& findings);

/// A count at `path` that the parser found to be `wrong`, where it should be `right`.
void check_count(const std::optional<std::string>& wrong, std::size_t right, const Rule& rule,
                 const std::string& path, Findings& findings);

}  // namespace adarun::ranktable
