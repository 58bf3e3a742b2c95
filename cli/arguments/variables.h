// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::cli {

/// Whether `name` is a valid variable name: a letter or _, then letters, digits and _.
bool is_variable_name(std::string_view name);

/// The content of a file of variables.
struct Variables {
  std::vector<std::string> assignments = {};  ///< "NAME=VALUE", in the order of the file.
  std::vector<std::string> left_out = {};     ///< Functions exported by bash, which are ignored.

  bool operator==(const Variables&) const = default;
};

/// Two formats are accepted. If the text has NUL bytes, it is the output of `env -0`: entries NAME=VALUE,
/// whose values may span lines. Otherwise it consists of lines; empty ones and those that begin with # are
/// ignored:
///
///     NAME=VALUE           up to the line's end, but for one pair of quotes around all of the value,
///                          behind which a comment may follow; also NAME = VALUE
///
///     export NAME=VALUE    as one word of a shell; also `declare -x`, as bash's export -p writes it
///
/// In '...' nothing is special; in "..." a backslash escapes " \ $ and `. ${NAME} and $NAME stand for the
/// value that an earlier line has given; others are refused, as are those with quotes around a part of the
/// value or behind \ or $, and " #" in a value without quotes, of which readers of such files disagree, and,
/// after export, what else a shell would expand. Throws ExitError with exit_usage, naming the file and the
/// line or entry.
Variables parse_variables(std::string_view text, const std::string& file);

}  // namespace adarun::cli
