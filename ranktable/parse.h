// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ranktable/finding.h"
#include "ranktable/model.h"

namespace adarun::ranktable {

/// The largest text that HCCL reads (1.x), and so do we.
inline constexpr std::size_t max_text_bytes = 40U << 20U;

/// The table that `text` holds; `name` stands for it in messages. Refuses what does not follow the schema:
/// malformed JSON, missing fields, values of a wrong type, numbers that are not plain decimals. It does not
/// check how values go together (ranks that come twice, addresses that are none): see validate.h. Takes
/// version 1.0. Throws Error naming the file, the JSON path or line and column, what was found and wanted.
Table parse(std::string_view text, const std::string& name);

/// `parse` of a file. Throws Error, also where the file cannot be read or is larger than `max_text_bytes`.
Table read(const std::filesystem::path& path);

/// The bytes of a file, for `examine`. Throws Error like `read`.
std::string read_text(const std::filesystem::path& path);

/// As much of a table as can be read, and everything that is wrong with its form.
struct Examined {
  Table table;  ///< Numbers that cannot be read are -1.
  std::vector<Finding> findings;
};

/// Reads on behind errors, to name all of them. Throws Error only for a table of a version or schema that is
/// not read here.
Examined examine(std::string_view text, const std::string& name);

}  // namespace adarun::ranktable
