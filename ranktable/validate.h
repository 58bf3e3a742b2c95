// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/any_table.h"
#include "ranktable/finding.h"

namespace adarun::ranktable {

/// What a table is checked for besides its own rules.
enum class Profile {
  none,
  hccl,    ///< That HCCL takes it: no plain table, nothing that it would wait for.
  adasum,  ///< That AdaSum takes its number of devices.
};

enum class Generation { ascend910, a2, a3, ascend950 };

struct ValidateOptions {
  Profile profile = Profile::none;
  /// Rules of this generation are errors. Unset: rules of each generation are warnings that name it.
  std::optional<Generation> generation = std::nullopt;
};

/// All that is to be said about the values of a table, in the order of the rules. A plain table is valid,
/// with a note that HCCL does not take it. Numbers below 0 stand for what could not be read and break no
/// rule. Linear in the number of devices.
std::vector<Finding> validate(const Table& table, const ValidateOptions& options = {});
std::vector<Finding> validate(const AnyTable& table, const ValidateOptions& options = {});

/// The table that `text` holds and everything that is wrong with its form and its values; each place is
/// reported once.
struct Report {
  bool has_schema = false;  ///< Whether the text is a table of any; else `table` is empty.
  AnyTable table;
  std::vector<Finding> findings;
};

/// Text that is too large for HCCL is a finding. Throws Error only for a version that is not read here;
/// `name` stands for the text then.
Report validate_text(std::string_view text, const std::string& name, const ValidateOptions& options = {});

/// Likewise of a file. Throws Error also where it cannot be read.
Report validate_file(const std::filesystem::path& path, const ValidateOptions& options = {});

/// Whether there is no error among the findings.
bool is_valid(const std::vector<Finding>& findings);

/// Throws Error, with the first error and the number of others, where there is one among the findings; `name`
/// stands for the table. What is to start processes by a table calls this first.
void require_valid(const std::vector<Finding>& findings, const std::string& name);

}  // namespace adarun::ranktable
