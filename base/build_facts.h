// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::base {

/// One line that --version prints about a build.
struct BuildFact {
  std::string name;
  std::string value;
};

/// What is useful in a bug report: commit (of a build from git), compiler, kind of build, C library,
/// processor. Contains no path, host or date: the same sources give the same facts.
std::vector<BuildFact> build_facts();

/// Whether this is the portable program, which needs no library of the machine.
bool is_portable();

/// The version of a library: the one in use and, if it differs, the one that this program was built with.
std::string library_version(const std::string& running, const std::string& built);

/// What `program --version` prints, without the last line end: "adarun 0.2.0", which scripts may rely on,
/// then one line for each of build_facts() and of `libraries`.
std::string text(const std::string& program, const std::vector<BuildFact>& libraries = {});

}  // namespace adarun::base
