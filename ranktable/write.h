// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The table in the format of the reference tools: indent 4, their order of keys, ASCII, no newline at the
/// end. Extras follow the fields of the schema. Throws Error on text that is not UTF-8.
std::string write(const Table& table);

/// Same for a table of any schema: keys in the order of HCCL's guides.
std::string write(const AnyTable& table);

/// Replaces the content of the file atomically: writes a new file in the same folder, then renames it. A
/// symbolic link is followed, and an existing file keeps its mode. What is not a regular file (a pipe,
/// /dev/stdout) is written in place. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace adarun::ranktable
