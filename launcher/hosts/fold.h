// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::launcher {

/// Names in short form, the inverse of expand_names: node1 node2 node3 gpu9 -> `node[1-3],gpu9`. Names that
/// differ only in a number at their end share a bracket; each group stands where its first name stood, its
/// numbers rising. Expanding it gives the same names.
std::string fold_names(const std::vector<std::string>& names);

}  // namespace adarun::launcher
