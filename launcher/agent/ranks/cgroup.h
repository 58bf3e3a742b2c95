// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/file_descriptor.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent {

/// The control group (version 2) of a job on this node, with one group inside it for each rank. Every process
/// that a rank starts stays in it, daemons included, and all of them can be killed at once, so that processes
/// that fork endlessly cannot escape. The destructor removes it; nothing may run in it any more.
class Cgroup {
 public:
  /// Creates "adarun-NAME.PID" inside the group of this process, and removes groups that killed agents have
  /// left there. Nothing if we may not write there, version 2 is not mounted, or the kernel cannot kill a
  /// group (Linux before 5.14).
  static std::optional<Cgroup> make(const std::string& name);

  /// Takes over the group at `path`, which another process has created.
  static Cgroup adopt(std::string path) { return Cgroup(std::move(path)); }

  const std::string& path() const { return path_; }

  Cgroup(Cgroup&& other) noexcept
      : path_(std::exchange(other.path_, {})), counts_memory_(other.counts_memory_) {}
  Cgroup& operator=(Cgroup&&) = delete;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  /// The group of a rank and of all processes that it starts.
  struct Member {
    base::FileDescriptor door;  ///< cgroup.procs: a process that writes "0" to it joins; -1: there is no such
                                ///< group.
    std::string memory_events;  ///< Path of the group's file of that name; empty if the kernel does not count
                                ///< for the group.
  };
  Member add(std::uint32_t rank) const;

  /// Sends SIGKILL to every process inside, or in a rank's group.
  void kill() const;
  void kill(std::uint32_t rank) const;

 private:
  std::string path_of(std::uint32_t rank) const { return path_ + "/rank" + std::to_string(rank); }
  explicit Cgroup(std::string path) : path_(std::move(path)) {}

  std::string path_;
  bool counts_memory_ = false;
};

/// Tells whether the kernel has killed a process for lack of memory since this object was made, from the
/// kernel's counters: that of the rank's control group if there is one, else that of the whole machine.
class MemoryWatch {
 public:
  /// `group_events`: memory.events of the rank's control group, or empty. `machine_events`: /proc/vmstat.
  explicit MemoryWatch(std::string group_events, std::string machine_events = "/proc/vmstat");

  protocol::OutOfMemory verdict() const;

 private:
  std::string group_events_;
  std::string machine_events_;
  std::optional<std::uint64_t> group_before_;
  std::optional<std::uint64_t> machine_before_;
};

}  // namespace adarun::launcher::agent
