// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"

namespace adarun::launcher {

/// The log of one rank: all bytes unchanged or, beyond a limit, the beginning and the end of the output,
/// whole lines each, with a line between that says how many bytes are left out. The file grows by what is
/// written, until it reaches its limit: then the older half of its end is left out, and it becomes shorter.
class RankLog {
 public:
  /// How much of its end a limited log keeps at most.
  static constexpr std::size_t most_end_bytes = 1U << 20U;

  /// How much of its beginning a log limited to `limit` bytes keeps at most.
  static std::uint64_t beginning_of(std::uint64_t limit);

  /// Creates the file in place of an old one; `limit` is in bytes. Throws Error.
  RankLog(const base::OutputFolder& folder, const std::string& name, std::optional<std::uint64_t> limit);

  /// Throws Error if the file cannot be written.
  void write(std::string_view bytes);

  /// The last `count` lines, unchanged, of the last 64 KiB. Throws Error.
  std::vector<std::string> last_lines(std::size_t count) const;

 private:
  struct Limit {
    std::uint64_t beginning = 0;       ///< Bytes to keep of the beginning, at most.
    std::size_t end = 0;               ///< Of the end.
    std::optional<std::uint64_t> cut;  ///< Where the beginning ends; nothing: the file still has all.
    std::uint64_t end_begin = 0;       ///< Where the end begins in the file.
  };

  void leave_out_and_write(std::string_view bytes);
  std::uint64_t end_of_beginning() const;
  std::string read(std::uint64_t from, std::uint64_t to) const;
  void replace_from(std::uint64_t offset, std::string_view text);

  std::string file_;  ///< Its path, for messages.
  base::FileDescriptor fd_;
  std::optional<Limit> limit_;
  std::uint64_t size_ = 0;   ///< Of the file.
  std::uint64_t total_ = 0;  ///< Bytes written, with those that are left out.
};

}  // namespace adarun::launcher
