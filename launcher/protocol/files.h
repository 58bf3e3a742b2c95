// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/archive.h"

// Messages that copy files: see messages.h for their place in a conversation.
//
// To a node, before its ranks start:
//   launcher  Stage
//   agent     StagePresent
//   launcher  StagePart*, the parts of a file in their order; StageEnd
//   agent     StageTaken for each part; Staged
// From a node to the launcher:
//   launcher  Find
//   agent     FileListing
//   launcher  Fetch*
//   agent     FetchPart*, Fetched for each Fetch, in the order of these

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

  void fields(auto& archive) { archive(folder, items); }
  bool operator==(const Stage&) const = default;
};

/// agent -> launcher: which files are there already.
struct StagePresent {
  std::vector<std::string> hashes;  ///< Per item: base::Blake2b of a file that has that size; else empty.

  void fields(auto& archive) { archive(hashes); }
  bool operator==(const StagePresent&) const = default;
};

/// launcher -> agent: bytes of a file. The first part creates a temporary file, the last one renames it to
/// its place.
struct StagePart {
  std::uint32_t item = 0;    ///< Index into Stage::items.
  std::uint64_t offset = 0;  ///< Where the previous part ended.
  std::string bytes;

  void fields(auto& archive) { archive(item, offset, bytes); }
  bool operator==(const StagePart&) const = default;
};

/// agent -> launcher: one more part has been written.
struct StageTaken {
  std::uint32_t bytes = 0;

  void fields(auto& archive) { archive(bytes); }
  bool operator==(const StageTaken&) const = default;
};

/// launcher -> agent: there are no more parts.
struct StageEnd {
  void fields(auto& archive) { archive(); }
  bool operator==(const StageEnd&) const = default;
};

/// agent -> launcher: everything is in its place.
struct Staged {
  void fields(auto& archive) { archive(); }
  bool operator==(const Staged&) const = default;
};

/// launcher -> agent: which files match? Sent repeatedly, to find files that are created later.
struct Find {
  std::vector<std::string> patterns;  ///< See agent::FileWalk.
  std::uint32_t most_files = 0;

  void fields(auto& archive) { archive(patterns, most_files); }
  bool operator==(const Find&) const = default;
};

/// A regular file on a node.
struct FoundFile {
  std::string path;
  std::uint64_t size_bytes = 0;
  std::int64_t changed_ns = 0;  ///< When its content was last modified, by the node's clock.
  std::uint64_t inode = 0;
  std::uint32_t mode = 0;  ///< Permissions.

  void fields(auto& archive) { archive(brief(path), size_bytes, changed_ns, inode, mode); }
  bool operator==(const FoundFile&) const = default;
};

/// agent -> launcher: the files that match.
struct FileListing {
  std::vector<FoundFile> files;       ///< Sorted by path, each once.
  std::vector<std::string> left_out;  ///< Matching paths that are not in `files`, and why: "PATH: WHY".
  std::string refusal = {};           ///< Why the search was refused, one line; empty: it was not.

  void fields(auto& archive) { archive(files, left_out, brief(refusal)); }
  bool operator==(const FileListing&) const = default;
};

/// launcher -> agent: send a file from `offset` to its current end.
struct Fetch {
  std::uint32_t id = 0;  ///< Chosen by the launcher; repeated in the reply.
  std::string path;
  std::uint64_t offset = 0;
  std::string hash;  ///< Of the bytes before `offset` (see base::Blake2b): if it differs on the node, the
                     ///< file is sent from its beginning. Empty: it is not compared.

  void fields(auto& archive) { archive(id, path, offset, hash); }
  bool operator==(const Fetch&) const = default;
};

/// agent -> launcher: bytes of a file, in order without gaps.
struct FetchPart {
  std::uint32_t id = 0;
  std::uint64_t offset = 0;  ///< In the first part: that of the Fetch, or 0.
  bool is_packed = false;    ///< `bytes` are the result of pack().
  std::string bytes;

  void fields(auto& archive) { archive(id, offset, is_packed, bytes); }
  bool operator==(const FetchPart&) const = default;
};

/// agent -> launcher: the last message about a file.
struct Fetched {
  std::uint32_t id = 0;
  std::uint64_t size_bytes = 0;  ///< Of the file, up to where it was sent.
  std::string hash;              ///< Of those bytes; empty after a failure or a Fetch with an offset but no
                                 ///< hash.
  std::string reason = {};       ///< Why it is incomplete, one line without the path; empty: it is complete.

  void fields(auto& archive) { archive(id, size_bytes, brief(hash), brief(reason)); }
  bool operator==(const Fetched&) const = default;
};

}  // namespace adarun::launcher::protocol
