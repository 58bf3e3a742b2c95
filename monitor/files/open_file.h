// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

struct z_stream_s;

namespace adarun::monitor {

/// Whether symbolic links in the path of a log are followed. What is shown to others is read without them:
/// who may write to a folder could show any file that the reader may read.
enum class Links { followed, refused };

/// As stat(2): 0, or -1 and errno, which is ELOOP at a link that is refused.
int look_at(const std::filesystem::path& path, Links links, struct stat& status);

/// When a file was last written, in ms since the Unix epoch; 0 if that is not known.
std::int64_t written_ms(const std::filesystem::path& path, Links links = Links::followed);

/// What is said of a path that could not be opened, by errno.
std::string cannot_be_read(const std::filesystem::path& path, Links links);

/// Something in a folder.
struct FolderEntry {
  std::filesystem::path path;
  bool is_file = false;
  bool is_folder = false;
};

/// What is in a folder, by name; where links are refused, without them. Throws
/// std::filesystem::filesystem_error if it cannot be read.
std::vector<FolderEntry> entries_of(const std::filesystem::path& folder, Links links);

/// A file open for reading, closed at the end of its scope.
class OpenFile {
 public:
  /// Throws Error if the file cannot be opened. Does not wait for the writer of a pipe.
  explicit OpenFile(const std::filesystem::path& path, Links links = Links::followed);

  /// The size now. Throws Error if it is not a regular file.
  std::uint64_t size() const;

  /// Replaces `bytes` by at most `wanted` bytes from `offset` on; fewer only at the end of the file.
  /// Overwriting the old content of `bytes` is faster than clearing it first, because no zeros are filled in.
  /// Throws Error if reading fails.
  void read(std::string& bytes, std::size_t wanted, std::uint64_t offset) const;

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  Links links_;
  base::FileDescriptor file_;
};

/// Decompresses gzip data piece by piece. Several gzip files joined into one count as one.
class Gunzip {
 public:
  Gunzip();

  /// Decompresses `packed`, which continues after the bytes used so far, and replaces `bytes` by at most
  /// `max_bytes` of the result. Returns how many bytes of `packed` were used. Throws Error if it is damaged
  /// or not gzip data.
  std::size_t unpack(std::string_view packed, std::string& bytes, std::size_t max_bytes);

 private:
  std::unique_ptr<z_stream_s, void (*)(z_stream_s*)> stream_;
  bool ended_ = false;  ///< One gzip member has ended; another may follow.
};

}  // namespace adarun::monitor
