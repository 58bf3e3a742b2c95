// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace adarun::cli {

/// The name of a command's page: adarun-ranktable-gen.
std::string man_page_name(const CLI::App& command);

/// The page of a command in section 1, as roff, of what --help says: name, usage, arguments, commands,
/// options, examples, exit status.
std::string man_page(const CLI::App& command);

}  // namespace adarun::cli
