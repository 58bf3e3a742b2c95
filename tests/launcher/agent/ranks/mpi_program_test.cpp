// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/mpi_program.h"

#include <gtest/gtest.h>

#include <elf.h>
#include <link.h>

#include <string>

#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

// A file with one loaded segment: headers, dynamic section, names.
std::string elf_that_needs(const std::string& library) {
  const std::string names = std::string(1, '\0') + "libc.so.6" + '\0' + library + '\0';
  struct Parts {
    ElfW(Ehdr) header{};
    ElfW(Phdr) segments[2]{};
    ElfW(Dyn) entries[4]{};
  } parts;
  static_assert(SELFMAG == 4);
  for (int i = 0; i < SELFMAG; ++i) parts.header.e_ident[i] = static_cast<unsigned char>(ELFMAG[i]);
  parts.header.e_ident[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  parts.header.e_ident[EI_DATA] = ELFDATA2LSB;
  parts.header.e_phoff = offsetof(Parts, segments);
  parts.header.e_phentsize = sizeof(ElfW(Phdr));
  parts.header.e_phnum = 2;
  constexpr ElfW(Addr) base = 0x400000;
  parts.segments[0].p_type = PT_LOAD;
  parts.segments[0].p_vaddr = base;
  parts.segments[0].p_filesz = sizeof parts + names.size();
  parts.segments[1].p_type = PT_DYNAMIC;
  parts.segments[1].p_offset = offsetof(Parts, entries);
  parts.segments[1].p_filesz = sizeof parts.entries;
  parts.entries[0] = {DT_NEEDED, {1}};
  parts.entries[1] = {DT_NEEDED, {11}};
  parts.entries[2] = {DT_STRTAB, {base + sizeof parts}};
  return std::string(reinterpret_cast<const char*>(&parts), sizeof parts) + names;  // NOLINT: bytes of a file
}

TEST(NeedsMpi, IsTrueOfProgramsThatNameALibraryOfMpi) {
  const test::ScratchFolder scratch;
  for (const char* name :
       {"libmpi.so.40", "libmpich.so.12", "libmpi_mpifh.so.40", "libmpifort.so.12", "libpmpi.so"}) {
    scratch.write("program", elf_that_needs(name));
    EXPECT_TRUE(needs_mpi(scratch.path() / "program")) << name;
  }
  for (const char* name : {"libmp3.so", "liblammps.so.0", "xlibmpi.so", ""}) {
    scratch.write("program", elf_that_needs(name));
    EXPECT_FALSE(needs_mpi(scratch.path() / "program")) << name;
  }
}

TEST(NeedsMpi, IsFalseOfAnythingElse) {
  const test::ScratchFolder scratch;
  const std::string whole = elf_that_needs("libmpi.so.40");
  for (std::size_t size = 0; size < whole.size() - sizeof "ibmpi.so.40"; ++size) {
    scratch.write("part", whole.substr(0, size));
    EXPECT_FALSE(needs_mpi(scratch.path() / "part")) << size;
  }
  EXPECT_FALSE(needs_mpi("/bin/sh"));
  EXPECT_FALSE(needs_mpi("/no/such/file"));
  EXPECT_FALSE(needs_mpi("/tmp"));
  EXPECT_FALSE(needs_mpi("/dev/zero"));
}

TEST(NeedsMpi, LooksForTheProgramAsItIsExecuted) {
  const test::ScratchFolder scratch;
  scratch.write("solver", elf_that_needs("libmpi.so.40"));
  const std::string folder = scratch.path();
  Program program{{"solver"}, {}, "", folder};
  EXPECT_FALSE(needs_mpi(program)) << "it cannot be executed";
  std::filesystem::permissions(scratch.path() / "solver", std::filesystem::perms::owner_all);
  EXPECT_TRUE(needs_mpi(program));
  EXPECT_TRUE(needs_mpi(Program{{"./solver"}, {}, folder, "/usr/bin"}));
  EXPECT_FALSE(needs_mpi(Program{{"solver"}, {}, folder, "/usr/bin"}));
}

}  // namespace
}  // namespace adarun::launcher::agent
