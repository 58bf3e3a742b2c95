// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// `path`, or the nearest folder on the way to it, that another user made in a folder where anyone may make
/// entries (/tmp): that user can change what is there at any time. Nothing if there is none. Root is not
/// another user, and what is mounted there is nobody's entry.
std::optional<std::string> foreign_place(const std::string& path);

/// A file being received: it is written under a temporary name in the same folder and renamed to `place` when
/// it is complete. If it is never finished, the destructor removes it. Throws agent::Error that names
/// `place`.
class PartialFile {
 public:
  explicit PartialFile(std::string place);
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  std::uint64_t size_bytes() const { return size_bytes_; }
  void write(std::string_view bytes);

  /// Sets the mode and renames the file to its place.
  void finish(mode_t mode);

 private:
  std::string place_;
  std::string name_;  ///< The temporary name; empty after finish().
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

/// A random, unused name in the folder of `place`.
std::string name_beside(const std::string& place);

/// Throws agent::Error: `place` cannot be staged, for the reason in errno.
[[noreturn]] void fail_to_stage(const std::string& place);

/// Stores the files that the launcher sends before a job (see launcher/protocol/files.h). A file is not
/// visible until it is complete; the destructor removes a partial one. Nothing is put into, or taken for what
/// is sent from, a place that another user can change (foreign_place()). Failures throw agent::Error that
/// names the path; messages out of order throw protocol::Error. Passive: the agent calls it from its loop.
class StageReceiver {
 public:
  /// Starts to check which files are already there. A later order replaces the one before: that attempt has
  /// ended before its ranks started.
  void take(protocol::Stage order);

  void take(const protocol::StagePart& part);

  /// Starts to put folders, links and permissions in their places. What remains to be checked is checked
  /// first.
  void take(const protocol::StageEnd& end);

  /// Whether items remain to be checked or put in their places: call `tick` again soon.
  bool working() const { return looking_ || settling_; }

  /// Continues that for some milliseconds.
  void tick();

  /// The messages for the launcher since the last call.
  std::vector<protocol::Message> collect() { return std::exchange(messages_, {}); }

 private:
  const protocol::StageItem& item(std::uint32_t index) const;
  std::string path_of(const protocol::StageItem& item) const;
  void step();
  void look_at_next();
  void settle_next();
  void make_folder(const std::string& path);
  void settle(const protocol::StageItem& item);
  void set_folder_mode(const protocol::StageItem& item);

  protocol::Stage order_;
  protocol::StagePresent present_;
  std::optional<base::FileHash> hash_;  ///< Of the item being checked.
  bool looking_ = false;
  std::optional<std::size_t> settling_;  ///< The next step of settle_next(), from StageEnd on.
  std::optional<std::pair<std::uint32_t, PartialFile>> writing_;  ///< Item index and its file.
  std::set<std::string> made_folders_;
  std::vector<protocol::Message> messages_;
};

}  // namespace adarun::launcher::agent
