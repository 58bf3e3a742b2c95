// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A node of an ended job, which is asked for the output that its agent has kept.
struct AskedNode {
  std::uint32_t number = 0;       ///< Of the node in the job.
  std::set<std::uint32_t> ranks;  ///< That ran there.
  /// Of a node in whose place a spare has continued: which of these it is, from 1; else 0.
  std::size_t replaced = 0;
};

/// Output recovered from one node.
struct RecoveredOutput {
  bool found = false;                                ///< Its agent had stored some output.
  std::map<std::uint32_t, std::uint64_t> new_bytes;  ///< Per rank.
  /// By rank: the file written where the output has no place in the log.
  std::map<std::uint32_t, std::string> apart;
  std::string reason;  ///< Why recovery failed, one line; empty: it succeeded.
};

/// Fetches the output that the agents of an ended job could not deliver, and appends to worker_<rank>.log in
/// `log_dir` what each log lacks; bytes that a log has already are not written again. For a log shortened by
/// --log-limit, offsets do not apply: the output goes to worker_<rank>.kept.log beside it. The log of a rank
/// that has continued on a spare has its output there: that of the n-th node that was replaced goes to
/// worker_<rank>.kept.<n>.log. Once all output of a node is written, it is removed on the node. `transport`
/// connects to `nodes`, in this order: output of a rank that did not run on a node is not written, and the
/// node is given up. So is a node that sends nothing new for `silence`.
std::vector<RecoveredOutput> recover_output(Transport& transport, std::vector<AskedNode> nodes,
                                            const std::string& job_id, const std::filesystem::path& log_dir,
                                            std::chrono::milliseconds silence = std::chrono::minutes(1));

}  // namespace adarun::launcher
