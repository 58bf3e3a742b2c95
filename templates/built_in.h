// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace adarun::templates {

/// The text of a template compiled into the program, by the name of its output: "run_node.sh" for
/// run_node.sh.in in this folder. `name` must be one of them.
std::string_view built_in(std::string_view name);

}  // namespace adarun::templates
