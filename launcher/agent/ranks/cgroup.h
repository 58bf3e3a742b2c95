// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// The control group (version 2) of a job on this node, with one inside it for each rank: whatever a rank
/// starts is in there, however it cuts itself loose, and all of it can be killed at once, so that not even
/// processes that fork without end get away. Removed at the end, when nothing runs in it any more.
class Cgroup {
 public:
  /// Makes "adarun-NAME" inside the group of this process, and removes what killed agents have left there;
  /// nothing where that is not ours to write to, where version 2 is not mounted, or where the kernel cannot
  /// kill a group (Linux before 5.14).
  static std::optional<Cgroup> make(const std::string& name);

  /// Takes over the group at `path`, which another process has made.
  static Cgroup adopt(std::string path) { return Cgroup(std::move(path)); }

  const std::string& path() const { return path_; }

  Cgroup(Cgroup&& other) noexcept
      : path_(std::exchange(other.path_, {})), counts_memory_(other.counts_memory_) {}
  Cgroup& operator=(Cgroup&&) = delete;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  /// A group for a rank, and in it for those that it makes itself.
  struct Member {
    base::FileDescriptor door;  ///< A process that writes "0" to it is inside; -1: there is no such group.
    std::string memory_events;  ///< Its file of that name; empty where the kernel does not count there.
  };
  Member add(std::uint32_t rank) const;

  /// SIGKILL to everything inside.
  void kill() const;

 private:
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
  bool counts_memory_ = false;
};

}  // namespace adarun::launcher::agent
