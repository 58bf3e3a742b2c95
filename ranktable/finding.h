// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::ranktable {

enum class Severity {
  note,     ///< Worth knowing.
  warning,  ///< Works here, may not elsewhere or is advised against.
  error,    ///< The table is not valid.
};

/// One thing that is to be said about a table.
struct Finding {
  Severity severity = Severity::error;
  std::string path;       ///< JSON path: "$.server_list[0].device[1].rank_id".
  std::string rule;       ///< What is wanted, in words.
  std::string code;       ///< HCCL's code for it ("EI0014"); empty where HCCL has none.
  std::string found;      ///< The value as JSON, or words; empty where there is nothing to show.
  std::string mend = {};  ///< What to do about it, in words.

  bool operator==(const Finding&) const = default;
};

/// "note", "warning" or "error".
std::string name(Severity severity);

/// One line: path, rule, what was found, HCCL's code.
std::string describe(const Finding& finding);

}  // namespace adarun::ranktable
