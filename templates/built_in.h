// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::templates {

/// The text of a template of this folder, a part of the program, by the name of what it gives: run_node.sh of
/// run_node.sh.in. `name` must be one of them.
std::string_view built_in(std::string_view name);

}  // namespace adarun::templates
