// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::ranktable {

enum class Severity {
  note,     ///< For information.
  warning,  ///< Works here, but may not elsewhere or is advised against.
  error,    ///< The table is not valid.
};

/// One remark or error about a table.
struct Finding {
  Severity severity = Severity::error;
  std::string path;       ///< JSON path: "$.server_list[0].device[1].rank_id".
  std::string rule;       ///< What is required, in words.
  std::string code;       ///< HCCL's error code ("EI0014"); empty if HCCL has none.
  std::string found;      ///< The value as JSON, or words; empty if there is nothing to show.
  std::string mend = {};  ///< How to correct it, in words.

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

/// A requirement, in the words of its findings. The words are the same everywhere, so that findings of one
/// rule can be recognised by them; details go into Finding::found.
struct Rule {
  std::string_view wanted;
  std::string_view code;  ///< HCCL's error code; empty if it has none.
  std::string_view mend;  ///< How to correct it, in the imperative, without a full stop.
  Severity severity = Severity::error;
};

/// Appends the finding that `rule` is violated at `path`.
void report(Findings& findings, const Rule& rule, std::string path, std::string found);

/// `report` for something that the item at `first` has too.
void report_again(Findings& findings, const Rule& rule, const std::string& path, const std::string& found,
                  const std::string& first);

/// "note", "warning" or "error".
std::string name(Severity severity);

/// One line: path, rule, what was found, HCCL's code.
std::string describe(const Finding& finding);

/// Whether there is no error among the findings.
bool is_valid(const Findings& findings);

/// Throws Error, with the first error and the number of others, if there is an error among the findings;
/// `name` is the name of the table. Must be called before processes are started from a table.
void require_valid(const Findings& findings, const std::string& name);

// Paths, as findings have them.

/// The path step to the member `name` of an object: ".name". A name that is long or has characters other than
/// letters, digits, _ and - is written ["na me"].
std::string member_step(std::string_view name);

/// The path of an item of a list: "$.server_list[3]".
std::string item_path(const std::string& list, std::size_t index);

/// The path of a value in a table, converted to text only when needed for a message. Borrows the path and the
/// name from which it was made.
class Path {
 public:
  /// The root: "$".
  Path() = default;

  /// An item of a list of `parent`: "$.server_list[3]".
  Path(const Path& parent, std::string_view list, std::size_t index)
      : parent_(&parent), list_(list), index_(index) {}

  std::string text() const;

 private:
  const Path* parent_ = nullptr;
  std::string_view list_;
  std::size_t index_ = 0;
};

}  // namespace adarun::ranktable
