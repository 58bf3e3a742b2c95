// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/arguments/defaults.h"
#include "cli/arguments/roles.h"

namespace adarun::cli {

/// A job as a file describes it (--spec, docs/spec.schema.json): one JSON object, with the long names of
/// options of launch as keys, and "program", or "roles" with a program each; "$schema" is for editors.
struct SpecFile {
  std::vector<Default> options;      ///< Of launch.
  std::vector<std::string> program;  ///< Empty: the file has none.
  GivenRoles roles;
};

/// Throws ExitError with exit_usage that names the file and the key.
SpecFile read_spec(const std::string& path);

/// The text of such a file, for the options that were given to `launch`, defaults of files and variables
/// among them.
std::string spec_text(const CLI::App& launch, const GivenRoles& roles,
                      const std::vector<std::string>& program);

}  // namespace adarun::cli
