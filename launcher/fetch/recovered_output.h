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

/// Output recovered from one node.
struct RecoveredOutput {
  bool found = false;                                ///< Its agent had stored some output.
  std::map<std::uint32_t, std::uint64_t> new_bytes;  ///< Per rank.
  /// By rank: the file written instead of a log shortened by --log-limit.
  std::map<std::uint32_t, std::string> apart;
  std::string reason;  ///< Why recovery failed, one line; empty: it succeeded.
};

/// Fetches the output that the agents of an ended job could not deliver, and appends to worker_<rank>.log in
/// `log_dir` what each log lacks; bytes that a log has already are not written again. For a log shortened by
/// --log-limit, offsets do not apply: the output goes to worker_<rank>.kept.log beside it. Once all output of
/// a node is written, it is removed on the node. `transport` connects to the job's nodes; `ranks[i]` are the
/// ranks of node i: output of any other rank is not written, and the node is given up. So is a node that
/// sends nothing new for `silence`.
std::vector<RecoveredOutput> recover_output(Transport& transport, std::vector<std::set<std::uint32_t>> ranks,
                                            const std::string& job_id, const std::filesystem::path& log_dir,
                                            std::chrono::milliseconds silence = std::chrono::minutes(1));

}  // namespace adarun::launcher
