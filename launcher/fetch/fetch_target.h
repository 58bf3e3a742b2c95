// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "launcher/protocol/files.h"

namespace adarun::launcher {

/// What the launcher already has of a node's file.
struct Known {
  std::uint64_t size_bytes = 0;
  std::string hash;  ///< Of those bytes (see base::Blake2b); empty: do not compare.
};

/// Result of fetching a file.
enum class FetchResult {
  fresh,    ///< Some or all of its bytes were new.
  kept,     ///< The launcher already had all of it.
  damaged,  ///< The received bytes do not match what was sent; the previous file is kept.
};

/// Destination of a node's file. Functions throw Error when it cannot be written, such as on a full disk.
class FetchTarget {
 public:
  virtual ~FetchTarget() = default;

  /// What has been received already.
  virtual Known known() = 0;

  /// Writes `bytes` at `offset`. The first call's offset is either the known size, to append, or 0, to start
  /// over; each later call continues where the previous one ended.
  virtual void take(std::uint64_t offset, std::string_view bytes) = 0;

  /// All bytes have been given.
  virtual FetchResult finish(const protocol::Fetched& fetched) = 0;
};

/// Destination of a file. The folder is held open, so that replacing it by a link does not redirect the file.
struct DownloadPath {
  base::OutputFolder folder;
  std::string name;            ///< A plain file name in `folder`.
  std::filesystem::path path;  ///< For messages.
};

/// The folder that nodes' files are fetched into. Whatever names nodes give their files, nothing is written
/// outside it, through a symbolic link in it, or into a folder of another user.
class DownloadFolder {
 public:
  static constexpr std::size_t most_parts = 100;  ///< Of one path.

  /// Creates the folder if missing, and locks it against other adarun processes for the lifetime of this
  /// object. At most `most_new_folders` folders are created per node. Throws Error.
  explicit DownloadFolder(std::filesystem::path path, std::size_t most_new_folders = 10'000);

  /// The destination of a node's file: `node`/`path` below this folder. Creates parent folders. Throws Error
  /// for a path that contains ".." or is too deep, if a parent is not a folder or is a link, and if the node
  /// needs too many folders.
  DownloadPath place(const std::string& node, const std::string& path);

  const std::filesystem::path& path() const { return path_; }

 private:
  base::OutputFolder enter(const std::string& node, const DownloadPath& place);

  std::filesystem::path path_;
  std::size_t most_new_folders_;
  base::OutputFolder folder_;
  std::map<std::string, std::size_t> new_folders_;  ///< By node.
};

/// A file that is fetched into a folder. It is written under a temporary name in that folder and renamed when
/// it is complete and its hash equals the node's, so that no reader sees a partial file. If the connection is
/// lost, the partial file stays and the next fetch continues it.
class ArrivingFile : public FetchTarget {
 public:
  /// `found`: the file on its node; the copy gets its modification time and, subject to the umask, its read
  /// permissions. Throws Error if something other than a regular file has that name.
  ArrivingFile(DownloadPath place, protocol::FoundFile found);

  Known known() override;
  void take(std::uint64_t offset, std::string_view bytes) override;
  FetchResult finish(const protocol::Fetched& fetched) override;

 private:
  void read_known(int fd);
  void begin(std::uint64_t offset);
  void copy_old();
  void set_time(int fd) const;
  [[noreturn]] void fail() const;

  DownloadPath place_;
  protocol::FoundFile found_;
  std::string part_name_;
  base::FileDescriptor old_;      ///< The existing complete file, if there is no partial one.
  base::FileDescriptor part_;     ///< The partial file.
  base::Blake2b hash_;            ///< Of the bytes received or found here,
  std::uint64_t size_bytes_ = 0;  ///< and their number.
};

/// A temporary copy of a node's file, for reading it: an unnamed file in the folder for temporary files,
/// removed with this object however the program ends. It can be fetched repeatedly as it grows.
class TemporaryCopy : public FetchTarget {
 public:
  /// Throws Error.
  TemporaryCopy();

  Known known() override { return {size_bytes_, ""}; }
  void take(std::uint64_t offset, std::string_view bytes) override;
  FetchResult finish(const protocol::Fetched& fetched) override;

  /// The path to read it from.
  std::filesystem::path path() const;

  /// Another file has the name on the node: the next fetch starts at the first byte, and who reads the path
  /// finds another file there. Throws Error.
  void forget();

 private:
  base::FileDescriptor file_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace adarun::launcher
