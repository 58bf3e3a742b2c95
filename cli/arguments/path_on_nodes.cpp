// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/path_on_nodes.h"

#include <filesystem>

namespace adarun::cli {

namespace fs = std::filesystem;

std::string path_on_nodes(const std::string& path) {
  if (fs::path(path).is_absolute()) return path;
  const fs::path whole = (fs::current_path() / path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();  // "folder/"
}

std::string program_on_nodes(const std::string& program) {
  return program.find('/') == std::string::npos ? program : path_on_nodes(program);
}

launcher::CardSources sources_on_nodes(launcher::CardSources sources) {
  if (!sources.hccn_conf.empty()) sources.hccn_conf = path_on_nodes(sources.hccn_conf);
  sources.hccn_tool = program_on_nodes(sources.hccn_tool);
  return sources;
}

}  // namespace adarun::cli
