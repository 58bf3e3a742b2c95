// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "ranktable/model/finding.h"
#include "ranktable/schemas/any_table.h"

namespace adarun::ranktable {

/// The largest text that HCCL reads, and so do we; of version 2.0 see below.
inline constexpr std::size_t max_text_bytes = 40U << 20U;

/// The largest text of version 2.0: enough for 65,536 ranks on eight layers. HCCL reads up to 1 GB; less
/// bounds the memory that a table takes.
inline constexpr std::size_t max_rank_list_text_bytes = 256U << 20U;

/// The table that `text` holds, of any schema; `name` stands for it in messages. Refuses what does not follow
/// the schema: malformed JSON, missing fields, values of a wrong type, numbers that are not plain decimals.
/// It does not check how values go together (ranks that come twice, addresses that are none): see validate.h.
/// Throws Error naming the file, the JSON path or line and column, what was found and wanted.
AnyTable parse_any(std::string_view text, const std::string& name);

/// `parse_any` of a file. Throws Error, also where the file cannot be read or is too large.
AnyTable read_any(const std::filesystem::path& path);

/// Likewise its ranks, as `ranks_of` gives them: what starts processes works with these.
Table parse(std::string_view text, const std::string& name);
Table read(const std::filesystem::path& path);

/// The bytes of a file, for `examine_any`, which refuses one that is too large; no more than it takes to see
/// that are read. Throws Error where it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// The first bytes of a file, `max_bytes` at most. Throws Error where it cannot be read, and where it is a
/// pipe from which nothing comes for `timeout`.
std::string read_start(const std::filesystem::path& path, std::size_t max_bytes,
                       std::chrono::milliseconds timeout = std::chrono::seconds(10));

/// As much of a table as can be read, and everything that is wrong with its form. Numbers that cannot be read
/// are -1.
struct ExaminedAny {
  AnyTable table;
  Findings findings;
};

/// Reads on behind errors, to name all of them; what is no JSON object, or has no schema, is an empty table
/// of version 1.0 with one finding. Throws Error only for version 1.1, which is not read.
ExaminedAny examine_any(std::string_view text, const std::string& name);

struct ExaminedTable {
  Table table;
  Findings findings;
};

/// Likewise a table of version 1.0 or 1.2. Throws Error also for the other schemas.
ExaminedTable examine(std::string_view text, const std::string& name);

}  // namespace adarun::ranktable
