// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The largest text that HCCL and adarun read, except for version 2.0 (below).
inline constexpr std::size_t max_text_bytes = 40U << 20U;

/// The largest text of version 2.0: enough for 65,536 ranks on eight layers. HCCL reads up to 1 GB; this
/// smaller limit bounds the memory used for a table.
inline constexpr std::size_t max_rank_list_text_bytes = 256U << 20U;

/// Parses a table of any schema; `name` stands for it in messages. Refuses what does not follow the schema:
/// malformed JSON, missing fields, values of a wrong type, numbers that are not plain decimals. Does not
/// check whether the values are consistent (repeated ranks, invalid addresses): see validate.h. Throws Error,
/// which names the file, the JSON path or line and column, what was found and wanted.
AnyTable parse_any(std::string_view text, const std::string& name);

/// `parse_any` for a file. Throws Error also if the file cannot be read or is too large.
AnyTable read_any(const std::filesystem::path& path);

/// Same, and returns the ranks as `ranks_of` does: the form used to start processes.
Table parse(std::string_view text, const std::string& name);
Table read(const std::filesystem::path& path);

/// The bytes of a file, for `examine_any`, which refuses a text that is too large; reads only one byte beyond
/// the limit. Throws Error if it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// As much of a table as can be read, and all errors in its form. Unreadable numbers are -1.
struct ExaminedAny {
  AnyTable table;
  Findings findings;
};

/// Continues after errors, to report all of them. If the text is not a JSON object or has no known schema,
/// the result is an empty table of version 1.0 with one finding. Throws Error only for version 1.1, which is
/// not supported.
ExaminedAny examine_any(std::string_view text, const std::string& name);

}  // namespace adarun::ranktable
