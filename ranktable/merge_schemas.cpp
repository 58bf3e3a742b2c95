// SPDX-License-Identifier: Apache-2.0
#include "ranktable/merge_schemas.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "ranktable/error.h"

namespace adarun::ranktable {
namespace {

// For a shell: quoted where it must be.
std::string word(const std::string& text) {
  constexpr std::string_view harmless =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./,:@%+-";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos)
    return text;
  std::string quoted = "'";
  for (const char byte : text) quoted += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return quoted + "'";
}

// The result's name does not begin as the original's, so that a glob over the originals leaves it out.
std::string conversion(const std::string& file, const std::string& schema) {
  const std::filesystem::path path = file;
  const std::string result = path.parent_path() / (schema + "-" + path.filename().string());
  return "adarun ranktable convert " + word(file) + " --to " + schema + " -o " + word(result);
}

}  // namespace

Table mergeable(AnyTable table, const std::string& file) {
  if (Table* v1 = std::get_if<Table>(&table)) return std::move(*v1);
  throw Error(file + ": a table of schema " + std::string(name(schema_of(table))) +
              ", wanted 1.0 or 1.2: " + conversion(file, "1.0"));
}

void require_one_version(std::span<const MergeInput> inputs) {
  const MergeInput& first = inputs.front();
  for (const MergeInput& input : inputs) {
    if (input.table.version == first.table.version) continue;
    const std::string& older = input.table.version == "1.0" ? input.name : first.name;
    throw Error(first.name + " and " + input.name + ": are of version " + first.table.version + " and " +
                input.table.version + ", wanted one: " + conversion(older, "1.2"));
  }
}

}  // namespace adarun::ranktable
