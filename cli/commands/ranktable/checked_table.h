// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranktable/validate.h"

namespace adarun::cli {

/// What is known of one file that was to be checked.
struct CheckedTable {
  std::string file;
  ranktable::ValidationReport report = {};
  std::string error = {};  ///< Why it could not be read; empty where it could.

  bool is_read() const { return error.empty(); }
  bool is_valid() const { return is_read() && ranktable::is_valid(report.findings); }
};

struct ReportStyle {
  bool color = false;
  bool quiet = false;  ///< Errors only.
};

/// For people: a line for the file, then its findings, errors first, each with how to mend it. Many findings
/// of one rule are folded into the first ones and their number. Only for a table that was read.
std::string as_text(const CheckedTable& checked, const ReportStyle& style);

/// For programs: the object that docs/validate.schema.json describes, indented as an item of a list.
std::string as_json(const CheckedTable& checked);

}  // namespace adarun::cli
