// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/rules/validate_options.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// All that is to be said about the values of a table, in the order of the rules. A plain table is valid,
/// with a note that HCCL does not take it. Numbers below 0 stand for what could not be read and break no
/// rule. Linear in the number of devices.
Findings validate(const Table& table, const ValidateOptions& options = {});
Findings validate(const AnyTable& table, const ValidateOptions& options = {});

/// The table that `text` holds and everything that is wrong with its form and its values; each place is
/// reported once.
struct ValidationReport {
  bool has_schema = false;  ///< Whether the text is a table of any; else `table` is empty.
  AnyTable table;
  Findings findings;
};

/// Text that is too large for HCCL is a finding. Throws Error only for a version that is not read here;
/// `name` stands for the text then.
ValidationReport validate_text(std::string_view text, const std::string& name,
                               const ValidateOptions& options = {});

/// Likewise of a file. Throws Error also where it cannot be read.
ValidationReport validate_file(const std::filesystem::path& path, const ValidateOptions& options = {});

}  // namespace adarun::ranktable
