// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/protocol/archive.h"

// Files of a node that the launcher wants to have: see messages.h for the place of these messages in a
// conversation.
//
//   launcher  Find
//   agent     Found
//   launcher  Fetch*
//   agent     FetchPart*, Fetched for each Fetch, in the order of these

namespace adarun::launcher::protocol {

/// launcher -> agent: which files are there? Again and again, for files that come later.
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
  std::int64_t changed_ns = 0;  ///< When its content changed last, by the node's clock.
  std::uint64_t inode = 0;
  std::uint32_t mode = 0;  ///< Permissions.

  void fields(auto& archive) { archive(brief(path), size_bytes, changed_ns, inode, mode); }
  bool operator==(const FoundFile&) const = default;
};

/// agent -> launcher: these are.
struct Found {
  std::vector<FoundFile> files;       ///< By path, each once.
  std::vector<std::string> left_out;  ///< What matches and is not among them, and why: "PATH: WHY".
  std::string refusal = {};           ///< Why there is no answer, one line; empty: there is.

  void fields(auto& archive) { archive(files, left_out, brief(refusal)); }
  bool operator==(const Found&) const = default;
};

/// launcher -> agent: send a file, from `offset` on to where it ends now.
struct Fetch {
  std::uint32_t id = 0;  ///< Chosen by the launcher, comes back in what is sent.
  std::string path;
  std::uint64_t offset = 0;
  std::string hash;  ///< Of what is before `offset` (see base::Blake2b): where that is another one on the
                     ///< node, the file is sent from its beginning. Empty: it is taken for the same.

  void fields(auto& archive) { archive(id, path, offset, hash); }
  bool operator==(const Fetch&) const = default;
};

/// agent -> launcher: bytes of a file, which follow one another.
struct FetchPart {
  std::uint32_t id = 0;
  std::uint64_t offset = 0;  ///< The first part's is that of the Fetch, or 0.
  bool is_packed = false;    ///< `bytes` are those of pack().
  std::string bytes;

  void fields(auto& archive) { archive(id, offset, is_packed, bytes); }
  bool operator==(const FetchPart&) const = default;
};

/// agent -> launcher: there is no more of a file.
struct Fetched {
  std::uint32_t id = 0;
  std::uint64_t size_bytes = 0;  ///< Of the file, up to where it was sent.
  std::string hash;              ///< Of all of that; empty where none was in the Fetch.
  std::string reason = {};       ///< Why it is not whole, one line without the path; empty: it is.

  void fields(auto& archive) { archive(id, size_bytes, brief(hash), brief(reason)); }
  bool operator==(const Fetched&) const = default;
};

}  // namespace adarun::launcher::protocol
