// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// Splits a list at the commas outside brackets, and trims the blanks around items; empty ones stay.
std::vector<std::string_view> split_items(std::string_view list);

/// `node[1-3,7]` -> node1 node2 node3 node7; a range keeps the width of its first number (`[08-10]`). Text
/// without brackets is returned unchanged. Brackets around the whole text with a ':' inside hold an IPv6
/// address and are removed. At most 65536 names, of 255 bytes each where there are brackets. Throws Error
/// whose message begins with `where`.
std::vector<std::string> expand_names(std::string_view text, const std::string& where);

/// Names in short form, the inverse of expand_names: node1 node2 node3 gpu9 -> `node[1-3],gpu9`. Names that
/// differ only in a number at their end share a bracket; each group stands where its first name stood, its
/// numbers rising. Expanding it gives the same names.
std::string fold_names(const std::vector<std::string>& names);

}  // namespace adarun::launcher
