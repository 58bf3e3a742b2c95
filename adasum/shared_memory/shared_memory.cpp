// SPDX-License-Identifier: Apache-2.0
#include "adasum/shared_memory/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "adasum/types/descriptor.h"

namespace adasum {
namespace {

// Where other ranks find a rank's memory, and its identity.
struct Origin {
  std::int64_t pid = 0;
  std::int64_t fd = -1;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size_bytes = 0;
};

Origin origin_of(int fd, std::size_t size_bytes) {
  struct stat status {};
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(size_bytes)) != 0 || ::fstat(fd, &status) != 0) return {};
  return {::getpid(), fd, status.st_dev, status.st_ino, size_bytes};
}

// Maps the memory of a rank, possibly this one; empty if it cannot be opened.
std::span<std::byte> map(const Origin& origin) {
  if (origin.fd < 0) return {};
  const std::string path = "/proc/" + std::to_string(origin.pid) + "/fd/" + std::to_string(origin.fd);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return {};
  if (status.st_dev != origin.device || status.st_ino != origin.inode) return {};
  void* address = ::mmap(nullptr, origin.size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED) return {};
  ::madvise(address, origin.size_bytes,
            MADV_HUGEPAGE);  // used if the system allows huge pages for shared memory
  return {static_cast<std::byte*>(address), origin.size_bytes};
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::make(Communicator& node, std::size_t size_bytes) {
  const Descriptor file(::memfd_create("adasum", MFD_CLOEXEC));
  std::unique_ptr<SharedMemory> memory(new SharedMemory(node.rank()));
  const auto origins = gather(node, origin_of(file.get(), std::max<std::size_t>(size_bytes, 1)));
  for (const Origin& origin : origins) memory->views_.push_back(map(origin));
  const bool complete = std::ranges::none_of(memory->views_, [](const auto& view) { return view.empty(); });
  // This gather also keeps each descriptor open until all ranks have opened it.
  const auto all = gather(node, static_cast<char>(complete ? 1 : 0));
  if (std::ranges::find(all, 0) != all.end()) return nullptr;
  return memory;
}

SharedMemory::~SharedMemory() {
  for (const auto view : views_) {
    if (!view.empty()) ::munmap(view.data(), view.size());
  }
}

std::optional<std::size_t> SharedMemory::offset_of(std::span<const std::byte> piece) const {
  const auto own = of(rank_);
  const std::less<> before;
  if (before(piece.data(), own.data()) || before(own.data() + own.size(), piece.data())) return std::nullopt;
  const auto offset = static_cast<std::size_t>(piece.data() - own.data());
  if (piece.size() > own.size() - offset) return std::nullopt;
  return offset;
}

}  // namespace adasum
