// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/jobs/job_dir.h"
#include "monitor/files/log_files.h"

namespace adarun::cli {

using monitor::EarlierRun;

/// The attempts before the one with these logs, the first one first: at most the last 100, from the first one
/// whose logs are there. None for logs without a job.json of one job.
std::vector<EarlierRun> earlier_runs(const LogPlaces& logs);

/// The attempts at a job, whose log folder is `folder`, from the one with this id, which is one of its
/// earlier ones: that one, and at most the last 100.
std::vector<EarlierRun> runs_from(const std::string& id, const JobFile& job,
                                  const std::filesystem::path& folder);

/// Takes what a rank of an attempt printed.
using FeedRank = std::function<void(std::uint32_t rank, std::string_view bytes)>;

/// Is told that the next attempt begins.
using BeginAttempt = std::function<void(std::uint64_t number, const std::string& change)>;

/// Reads the logs in a folder, if it is there, but not those of the ranks `all_but`, nor further than a log
/// can be read.
void read_others(const std::filesystem::path& folder, const std::set<std::uint32_t>& all_but,
                 const FeedRank& feed);

/// Reads the logs of earlier attempts, one attempt after the other.
void read_earlier(const std::vector<EarlierRun>& runs, const FeedRank& feed, const BeginAttempt& begin);

}  // namespace adarun::cli
