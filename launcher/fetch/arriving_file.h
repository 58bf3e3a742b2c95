// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "launcher/fetch/arrival.h"
#include "launcher/fetch/home_folder.h"

namespace adarun::launcher {

/// A file that is fetched into a folder. It is written under a temporary name in that folder and renamed when
/// it is complete and its hash equals the node's, so that no reader sees a partial file. If the connection is
/// lost, the partial file stays and the next fetch continues it.
class ArrivingFile : public Arrival {
 public:
  /// `found`: the file on its node; the copy gets its modification time and, subject to the umask, its read
  /// permissions. Throws Error if something other than a regular file has that name.
  ArrivingFile(HomePlace place, protocol::FoundFile found);

  Known known() override;
  void take(std::uint64_t offset, std::string_view bytes) override;
  Arrived finish(const protocol::Fetched& fetched) override;

 private:
  void read_known(int fd);
  void begin(std::uint64_t offset);
  void copy_old();
  void set_time(int fd) const;
  [[noreturn]] void fail() const;

  HomePlace place_;
  protocol::FoundFile found_;
  std::string part_name_;
  base::FileDescriptor old_;      ///< The existing complete file, if there is no partial one.
  base::FileDescriptor part_;     ///< The partial file.
  base::Blake2b hash_;            ///< Of the bytes received or found here,
  std::uint64_t size_bytes_ = 0;  ///< and their number.
};

}  // namespace adarun::launcher
