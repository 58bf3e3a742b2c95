// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/spool.h"

namespace adarun::launcher::agent {

/// How long a spool file of undelivered output is kept.
inline constexpr std::chrono::hours spool_keep_time{7 * 24};

/// The file in which a node's agent keeps output that it cannot deliver:
/// `$XDG_CACHE_HOME/adarun/spool/<job>-<node>-<host name>/stream`, by default under ~/.cache. Empty if
/// neither XDG_CACHE_HOME nor HOME is an absolute path, or `job_id` is not a plain file name.
std::string spool_path(const std::string& job_id, std::uint32_t node);

/// Removes a spool file and its folder. Does nothing for an empty path.
void remove_spool(const std::string& path);

/// Removes the user's spool files that were not written to for spool_keep_time. Their age alone does not tell
/// that their agents have ended: one that runs locks its file.
void remove_old_spools();

/// Reads, message by message, the output that the agent of an earlier job could not deliver.
class KeptOutput {
 public:
  /// Throws protocol::Error if the spool file cannot be read.
  explicit KeptOutput(const protocol::UndeliveredRequest& order);

  /// The next Output or Exited, then one UndeliveredReply, then nothing. Throws protocol::Error.
  std::optional<protocol::Message> next();

  /// Whether UndeliveredReply was returned.
  bool over() const { return over_; }

  /// Removes the spool file from the node.
  void forget() const;

 private:
  std::string path_;
  protocol::KeptStream stream_;
  protocol::FrameReader reader_{protocol::Opening::frame, protocol::Sender::agent};
  bool over_ = false;
};

}  // namespace adarun::launcher::agent
