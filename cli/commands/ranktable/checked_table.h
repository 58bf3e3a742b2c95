// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ranktable/validate.h"

namespace adarun::cli {

/// Result of checking one file.
struct CheckedTable {
  std::string file;
  ranktable::ValidationReport report = {};
  std::string error = {};  ///< Why it could not be read; empty: it was read.

  bool is_read() const { return error.empty(); }
  bool is_valid() const { return is_read() && ranktable::is_valid(report.findings); }
};

struct ReportStyle {
  bool color = false;
  bool quiet = false;  ///< Errors only.
};

/// The report as text: a line for the file, then its findings, errors first, each with how to fix it. Of many
/// findings of one rule, only the first ones and their number are shown. Requires a table that was read.
std::string as_text(const CheckedTable& checked, const ReportStyle& style);

/// The report as JSON: the object described by docs/validate.schema.json, indented as a list item.
std::string as_json(const CheckedTable& checked);

}  // namespace adarun::cli
