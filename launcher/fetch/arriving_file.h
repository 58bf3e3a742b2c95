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

/// A file on its way into a folder. It is written beside its place, under a name of its own, and takes the
/// place when it is whole and its hash is the node's: nobody ever sees half of it. What has come stays there
/// when the way is cut, so that the next one goes on behind it.
class ArrivingFile : public Arrival {
 public:
  /// `found`: the file on its node, whose time it will have, and whose readers, as far as the umask goes.
  /// Throws Error where its place is taken by what is no file.
  ArrivingFile(HomePlace place, protocol::FoundFile found);

  Known known() override;
  void take(std::uint64_t offset, std::string_view bytes) override;
  Arrived finish(const protocol::Fetched& fetched) override;

 private:
  base::FileDescriptor open_here(const std::string& name, int flags) const;
  void read_known(int fd);
  void begin(std::uint64_t offset);
  void copy_old();
  void set_time(int fd) const;
  [[noreturn]] void fail() const;

  HomePlace place_;
  protocol::FoundFile found_;
  std::string part_name_;
  base::FileDescriptor old_;      ///< The file in its place, where what is known is that.
  base::FileDescriptor part_;     ///< What is written.
  base::Blake2b hash_;            ///< Of what is here,
  std::uint64_t size_bytes_ = 0;  ///< and its size.
};

}  // namespace adarun::launcher
