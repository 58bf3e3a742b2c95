// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// All findings about the values of a table, in the order of the rules. A plain table is valid, with a note
/// that HCCL does not accept it. Negative numbers stand for unreadable values and violate no rule. Linear in
/// the number of devices.
Findings validate(const Table& table, const ValidateOptions& options = {});
Findings validate(const AnyTable& table, const ValidateOptions& options = {});

/// A table and all findings about its form and values; each place is reported only once.
struct ValidationReport {
  bool has_schema = false;  ///< Whether the text has a known schema; if not, `table` is empty.
  AnyTable table;
  Findings findings;
};

/// Validates a text. A text too large for HCCL is a finding. Throws Error only for a version that is not
/// supported; `name` is then the name of the text.
ValidationReport validate_text(std::string_view text, const std::string& name,
                               const ValidateOptions& options = {});

/// Same for a file. Throws Error also if it cannot be read.
ValidationReport validate_file(const std::filesystem::path& path, const ValidateOptions& options = {});

}  // namespace adarun::ranktable
