// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file_hash.h"
#include "launcher/agent/files/partial_file.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Puts in their places the files that the launcher sends before a job (see launcher/protocol/stage.h).
/// Nothing of a file is to be seen until it is whole; what is half written when this object goes is removed.
/// Whatever fails throws agent::Error that names the path. Passive: the agent calls it from its loop.
class StageReceiver {
 public:
  /// Begins to look for what is there.
  void take(protocol::Stage order);

  void take(const protocol::StagePart& part);
  void take(const protocol::StageEnd& end);

  /// Whether files are still to be read: call `tick` again soon.
  bool looking() const { return looking_; }

  /// Reads on, for some milliseconds.
  void tick();

  /// What is to be told to the launcher since the last call.
  std::vector<protocol::Message> collect() { return std::exchange(messages_, {}); }

 private:
  const protocol::StageItem& item(std::uint32_t index) const;
  std::string path_of(const protocol::StageItem& item) const;
  void look_at_next();
  void make_folder(const std::string& path);
  void settle(const protocol::StageItem& item);

  protocol::Stage order_;
  protocol::StagePresent present_;
  std::optional<base::FileHash> hash_;  ///< Of the item that is looked at.
  bool looking_ = false;
  std::optional<std::pair<std::uint32_t, PartialFile>> writing_;  ///< Which item.
  std::set<std::string> made_folders_;
  std::vector<protocol::Message> messages_;
};

}  // namespace adarun::launcher::agent
