// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/mpi_program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {
namespace {

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Entry = ElfW(Dyn);

// Of segments, and of entries in the dynamic section: programs have a few dozen.
constexpr std::size_t most_entries = 4096;
// Of the name of a library.
constexpr std::size_t name_bytes = 64;

template <typename T>
bool read_at(int fd, std::uint64_t offset, T* values, std::size_t count) {
  const std::size_t bytes = sizeof(T) * count;
  return offset <= static_cast<std::uint64_t>(INT64_MAX) &&
         ::pread(fd, values, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

bool is_of_this_machine(const Header& header) {
  constexpr unsigned char word = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr unsigned char order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == word &&
         header.e_ident[EI_DATA] == order && header.e_phentsize == sizeof(Segment) &&
         header.e_phnum <= most_entries;
}

std::vector<Segment> segments_of(int fd) {
  Header header{};
  if (!read_at(fd, 0, &header, 1) || !is_of_this_machine(header)) return {};
  std::vector<Segment> segments(header.e_phnum);
  if (!read_at(fd, header.e_phoff, segments.data(), segments.size())) return {};
  return segments;
}

std::vector<Entry> dynamic_section(int fd, const std::vector<Segment>& segments) {
  const auto found = std::ranges::find(segments, decltype(Segment::p_type){PT_DYNAMIC}, &Segment::p_type);
  if (found == segments.end()) return {};
  std::vector<Entry> entries(std::min<std::uint64_t>(found->p_filesz / sizeof(Entry), most_entries));
  if (!read_at(fd, found->p_offset, entries.data(), entries.size())) return {};
  return entries;
}

// Where in the file the byte of this address is; 0: nowhere.
std::uint64_t offset_of(std::uint64_t address, const std::vector<Segment>& segments) {
  for (const Segment& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return 0;
}

bool is_name_of_mpi(std::string_view name) {
  return name.starts_with("libmpi") || name.starts_with("libpmpi");
}

bool is_name_of_mpi(int fd, std::uint64_t offset) {
  std::array<char, name_bytes> name{};
  const ssize_t size = offset <= static_cast<std::uint64_t>(INT64_MAX)
                           ? ::pread(fd, name.data(), name.size(), static_cast<off_t>(offset))
                           : 0;
  return size > 0 && is_name_of_mpi(std::string_view(name.data(), static_cast<std::size_t>(size)));
}

}  // namespace

bool needs_mpi(const std::string& path) {
  const base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const std::vector<Segment> segments = segments_of(file.get());
  const std::vector<Entry> entries = dynamic_section(file.get(), segments);
  const auto table = std::ranges::find(entries, DT_STRTAB, &Entry::d_tag);
  const std::uint64_t names = table == entries.end() ? 0 : offset_of(table->d_un.d_ptr, segments);
  return names != 0 && std::ranges::any_of(entries, [&](const Entry& entry) {
           return entry.d_tag == DT_NEEDED && is_name_of_mpi(file.get(), names + entry.d_un.d_val);
         });
}

bool needs_mpi(const Program& program) {
  for (const std::string& candidate : candidates_of(program)) {
    const bool relative = !candidate.starts_with('/') && !program.workdir.empty();
    const std::string path = relative ? program.workdir + '/' + candidate : candidate;
    if (::access(path.c_str(), X_OK) == 0) return needs_mpi(path);
  }
  return false;
}

}  // namespace adarun::launcher::agent
