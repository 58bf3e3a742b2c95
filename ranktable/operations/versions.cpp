// SPDX-License-Identifier: Apache-2.0
#include "ranktable/operations/versions.h"

#include <filesystem>
#include <utility>

#include "base/shell_word.h"
#include "ranktable/model/error.h"

namespace adarun::ranktable {
namespace {

// The result's name begins differently from the original's, so that a glob for the originals does not match
// it.
std::string conversion(const std::string& file, const std::string& schema, const std::string& option = "") {
  const std::filesystem::path path = file;
  const std::string result = path.parent_path() / (schema + "-" + path.filename().string());
  return "adarun ranktable convert " + base::readable_word(file) + " " + option + "--to " + schema + " -o " +
         base::readable_word(result);
}

}  // namespace

Table table_to_merge(AnyTable table, const std::string& file) {
  if (Table* v1 = std::get_if<Table>(&table)) return std::move(*v1);
  if (std::holds_alternative<ServerGroupTable>(table))
    throw Error(file + ": a table of schema server_group, wanted 1.0 or 1.2, of one group: " +
                conversion(file, "1.0", "--group ID "));
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
