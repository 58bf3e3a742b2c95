// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// What was brought home of one node.
struct RecoveredOutput {
  bool found = false;                                ///< Its agent had kept something.
  std::map<std::uint32_t, std::uint64_t> new_bytes;  ///< Per rank.
  std::map<std::uint32_t, std::string> apart;  ///< By rank: the file that has them, where --log-limit has
                                               ///< shortened the log itself.
  std::string reason;                          ///< Why it could not be done, one line; empty: it was.
};

/// Fetches what the agents of a job that is over could not deliver, and adds it to worker_<rank>.log in
/// `log_dir`, each byte at its place; what the logs have already is left as it is. A log that was shortened
/// has no such places: what was kept of its rank goes to worker_<rank>.kept.log beside it. When all of a node
/// is safe there, it is removed on the node. `transport` leads to the job's nodes; `ranks` are those of each,
/// in the same order: what a node sends of another one is not written anywhere, and ends its part. A node
/// that sends nothing new for `silence` is given up.
std::vector<RecoveredOutput> recover_output(Transport& transport, std::vector<std::set<std::uint32_t>> ranks,
                                            const std::string& job_id, const std::filesystem::path& log_dir,
                                            std::chrono::milliseconds silence = std::chrono::minutes(1));

}  // namespace adarun::launcher
