// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Memory of every rank of a node that all of them read and write in place (memfd_create; the other ranks
/// open it through /proc). It has no name in a file system, so nothing is left behind however the ranks end,
/// and the size of /dev/shm does not limit it.
class SharedMemory {
 public:
  /// Collective over `node`: the ranks of one machine. `size_bytes` may differ between them. Returns null, on
  /// all ranks, if one cannot open the memory of another: on another machine, or in another namespace.
  static std::unique_ptr<SharedMemory> make(Communicator& node, std::size_t size_bytes);

  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// The memory of `rank`, mapped in this process. Initially zero.
  std::span<std::byte> of(int rank) const { return views_[static_cast<std::size_t>(rank)]; }

  /// The offset of `piece` in this rank's own memory; nothing if it is not entirely inside.
  std::optional<std::size_t> offset_of(std::span<const std::byte> piece) const;

 private:
  explicit SharedMemory(int rank) : rank_(rank) {}

  int rank_;
  std::vector<std::span<std::byte>> views_;
};

}  // namespace adasum
