// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::cli {

/// Whether a variable may have this name: a letter or _, then letters, digits and _.
bool is_variable_name(std::string_view name);

/// What a file of variables says.
struct Variables {
  std::vector<std::string> assignments = {};  ///< "NAME=VALUE", in the order of the file.
  std::vector<std::string> left_out = {};     ///< Names of functions that bash exports, which are not taken.

  bool operator==(const Variables&) const = default;
};

/// Of `env -0 > FILE`, known by its NUL bytes: entries NAME=VALUE, whose values may have any lines. Else
/// lines, of which empty ones and those that begin with # say nothing:
///
///     NAME=VALUE           up to the line's end, but for one pair of quotes around all of the value
///
///     export NAME=VALUE    as one word of a shell; also `declare -x`, as bash's export -p writes it
///
/// In '...' nothing is special, in "..." a backslash takes " \ $ ` as they are. Nothing is expanded: behind
/// export, $ and ` are refused where a shell would expand them. Throws Quit for wrong usage, naming the file
/// and the line or entry.
Variables parse_variables(std::string_view text, const std::string& file);

}  // namespace adarun::cli
