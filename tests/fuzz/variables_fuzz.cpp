// SPDX-License-Identifier: Apache-2.0
// Any bytes give variables with names that can be set, or an error that names the file; the variables in the
// form of env -0 are read back unchanged.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/arguments/command.h"
#include "cli/arguments/variables.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace cli = adarun::cli;

FUZZ_TARGET(variables) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const cli::Variables variables = cli::parse_variables(text, "fuzz");
    std::string entries;
    for (const std::string& each : variables.assignments) {
      demand(cli::is_variable_name(each.substr(0, each.find('='))) && each.find('\0') == std::string::npos);
      entries += each + '\0';
    }
    demand(cli::parse_variables(entries, "again").assignments == variables.assignments);
  } catch (const cli::ExitError& quit) {
    demand(std::string_view(quit.what()).substr(0, 4) == "fuzz");
  }
  return 0;
}
