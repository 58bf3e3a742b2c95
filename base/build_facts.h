// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace adarun::base {

/// One thing that --version tells of a build: what it is about, and what it is.
struct BuildFact {
  std::string name;
  std::string value;
};

/// The version of a library: the one that runs and, where it is another, the one that this was built with.
std::string library_version(const std::string& running, const std::string& built);

/// What `program --version` prints, but for the last line end: "adarun 0.1.0", which others may rely on, then
/// a line for each fact that helps with a report: commit (of a build from git), compiler, kind of build, C
/// library, processor, and `libraries`. Names no path, host or date: the same sources give the same text.
std::string text(const std::string& program, const std::vector<BuildFact>& libraries = {});

}  // namespace adarun::base
