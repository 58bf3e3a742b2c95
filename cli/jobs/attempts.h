// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "cli/jobs/job_dir.h"

namespace adarun::cli {

/// Which attempt at its job this is, from 1 on.
std::size_t attempt_of(const JobFile& job);

/// The id of the first attempt at its job, which all attempts have in common.
std::string first_id_of(const JobFile& job);

/// Whether this attempt came after the one with this id.
bool goes_on_from(const JobFile& job, const std::string& id);

/// Whether another attempt may follow this one, which has ended: its ranks failed, or its nodes change
/// (`adarun resize --now`), and its supervisor still runs and has begun no other one.
bool may_go_on(const JobFile& job);

/// Whether this attempt or the next one may still write to `folder`, where this one's logs are.
bool may_write_to(const std::filesystem::path& folder, const JobFile& job);

/// The nodes of this attempt in short form: "node[1,3]".
std::string node_list_of(const JobFile& job);

/// An earlier attempt in one line, cleaned: "ID on node[1-2], 4 ranks, 1.2 s: why it ended; what changed".
std::string text_of(const launcher::EarlierAttempt& attempt);

/// The log folder of an earlier attempt at `job`, whose own folder is `folder`: beside it, also where both
/// were moved. Empty if it is not there, or holds another job.
std::filesystem::path log_dir_of(const launcher::EarlierAttempt& attempt, const JobFile& job,
                                 const std::filesystem::path& folder);

}  // namespace adarun::cli
