// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/direction.h"

// Messages that copy files to a node before its ranks start: see messages.h for their place in a
// conversation.
//
//   launcher  Stage
//   agent     StagePresent
//   launcher  StagePart*, the parts of a file in their order; StageEnd
//   agent     StageTaken for each part; Staged

namespace adarun::launcher::protocol {

enum class StageKind : std::uint8_t { file, folder, link };

/// One file, folder or symbolic link.
struct StageItem {
  std::string path;  ///< On the node: absolute, or below Stage::folder.
  StageKind kind = StageKind::file;
  std::uint32_t mode = 0;  ///< Permissions; of a folder: only if it is created.
  std::uint64_t size = 0;  ///< file: in bytes.
  std::string target;      ///< link: where it points.

  void fields(auto& archive) { archive(path, kind, mode, size, target); }
  bool operator==(const StageItem&) const = default;
};

/// launcher -> agent: all items to be on the node. A folder comes before its content.
struct Stage {
  std::string folder;  ///< Where the ranks will start; empty: where the agent was started.
  std::vector<StageItem> items;

  static constexpr Direction direction = Direction::to_agent;
  void fields(auto& archive) { archive(folder, items); }
  bool operator==(const Stage&) const = default;
};

/// agent -> launcher: which files are there already.
struct StagePresent {
  std::vector<std::string> hashes;  ///< Per item: base::Blake2b of a file that has that size; else empty.

  static constexpr Direction direction = Direction::to_launcher;
  void fields(auto& archive) { archive(hashes); }
  bool operator==(const StagePresent&) const = default;
};

/// launcher -> agent: bytes of a file. The first part creates a temporary file, the last one renames it to
/// its place.
struct StagePart {
  std::uint32_t item = 0;    ///< Index into Stage::items.
  std::uint64_t offset = 0;  ///< Where the previous part ended.
  std::string bytes;

  static constexpr Direction direction = Direction::to_agent;
  void fields(auto& archive) { archive(item, offset, bytes); }
  bool operator==(const StagePart&) const = default;
};

/// agent -> launcher: one more part has been written.
struct StageTaken {
  std::uint32_t bytes = 0;

  static constexpr Direction direction = Direction::to_launcher;
  void fields(auto& archive) { archive(bytes); }
  bool operator==(const StageTaken&) const = default;
};

/// launcher -> agent: there are no more parts.
struct StageEnd {
  static constexpr Direction direction = Direction::to_agent;
  void fields(auto& archive) { archive(); }
  bool operator==(const StageEnd&) const = default;
};

/// agent -> launcher: everything is in its place.
struct Staged {
  static constexpr Direction direction = Direction::to_launcher;
  void fields(auto& archive) { archive(); }
  bool operator==(const Staged&) const = default;
};

}  // namespace adarun::launcher::protocol
