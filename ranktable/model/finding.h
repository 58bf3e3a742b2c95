// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

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

using Findings = std::vector<Finding>;

/// What is wanted of a table, in the words of its findings. They are the same for every place that breaks it,
/// so that findings of one rule can be told by them; what differs goes into what was found.
struct Rule {
  std::string_view wanted;
  std::string_view code;  ///< HCCL's; empty where it has none.
  std::string_view mend;  ///< What to do about it, as an order without a full stop.
  Severity severity = Severity::error;
};

/// Appends that `rule` is broken at `path`.
void report(Findings& findings, const Rule& rule, std::string path, std::string found);

/// "note", "warning" or "error".
std::string name(Severity severity);

/// One line: path, rule, what was found, HCCL's code.
std::string describe(const Finding& finding);

/// Whether there is no error among the findings.
bool is_valid(const Findings& findings);

/// Throws Error, with the first error and the number of others, where there is one among the findings; `name`
/// stands for the table. What is to start processes by a table calls this first.
void require_valid(const Findings& findings, const std::string& name);

}  // namespace adarun::ranktable
