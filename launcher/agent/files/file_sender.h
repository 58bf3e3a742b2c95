// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "launcher/protocol/files.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// Finds the regular files that match patterns. A pattern is a path, absolute or below the current folder,
/// whose parts may hold `*`, `?` and `[...]` as in a shell; a folder stands for all files in and below it. A
/// symbolic link is followed only if the pattern names it literally as an inner part. Any other link is left
/// out, because it may point to files that its owner cannot read. Devices, sockets and pipes are left out
/// without being opened.
class FileWalk {
 public:
  /// The search gives up after this many folder entries.
  static constexpr std::uint64_t most_names = 2'000'000;

  /// How many of them one step takes at most.
  static constexpr int names_per_step = 64;

  explicit FileWalk(const protocol::Find& find);

  /// Does the next step; false when the search is over.
  bool advance();

  /// The result, after advance() returned false. A refusal comes without files.
  protocol::FileListing take();

 private:
  /// A folder to search, or a path to examine if no part of the pattern is left.
  struct Place {
    std::string path;  ///< Empty: the current folder.
    std::size_t pattern = 0;
    std::size_t part = 0;    ///< The next part of the pattern, to be matched in `path`.
    bool is_inside = false;  ///< `path` is a folder of which every file matches.
  };

  void look_at(const Place& place);
  void open(Place place);
  void read_on();
  void meet(const Place& place, const std::string& name);
  void leave_out(const std::string& path, const std::string& why);

  std::vector<std::vector<std::string>> patterns_;  ///< Split into parts.
  std::uint32_t most_files_;
  std::vector<Place> places_;
  base::Directory folder_;  ///< That is being read; null: none.
  Place folder_place_;
  std::uint64_t names_ = 0;
  std::set<std::string> seen_;
  protocol::FileListing found_;
};

/// Sends the launcher the files that it requests (see launcher/protocol/files.h), one after another. Passive:
/// the agent calls it from its loop.
class FileSender {
 public:
  void take(const protocol::Find& find) { walk_.emplace(find); }
  void take(protocol::Fetch order) { orders_.push_back(std::move(order)); }

  /// Whether next() has something to do.
  bool working() const { return walk_ || !orders_.empty(); }

  /// Continues for some milliseconds; returns a message if one is ready.
  std::optional<protocol::Message> next();

 private:
  /// The file that is being sent.
  struct Reading {
    base::FileDescriptor file;
    std::uint64_t at = 0;
    std::uint64_t size_bytes = 0;  ///< At the time it was opened.
    base::Blake2b hash;            ///< Of what is before `at`.
    bool is_hashed = true;
    bool is_sending = false;  ///< False while the bytes that the launcher already has are hashed.
  };

  std::optional<protocol::Message> walk_on();
  std::optional<protocol::Message> open();
  std::optional<protocol::Message> compare();
  protocol::Message send();
  protocol::FetchPart part(std::string bytes);
  protocol::Message end(const std::string& reason);
  std::string read(std::uint64_t bytes);

  std::optional<FileWalk> walk_;
  std::deque<protocol::Fetch> orders_;  ///< The first one is being served.
  std::optional<Reading> reading_;
  int parts_unpacked_ = 0;  ///< How many more parts to send unpacked without trying.
};

}  // namespace adarun::launcher::agent
