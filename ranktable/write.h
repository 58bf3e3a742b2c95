// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The table as the reference tools write it: indent 4, their order of keys, ASCII, no newline at the end.
/// Extras follow the fields of the schema. Throws Error on text that is not UTF-8.
std::string write(const Table& table);

/// Likewise a table of any schema: keys in the order of HCCL's guides.
std::string write(const AnyTable& table);

/// Puts `text` into the file, whole or not at all: into a new file beside it, then renamed. A symbolic link
/// is followed, an existing file keeps its mode; what is no regular file (a pipe, /dev/stdout) is written to
/// in place. Throws Error.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace adarun::ranktable
