// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adarun::launcher {

/// What a job needs to know of a node before it starts there. What could not be found out is absent.
struct NodeFacts {
  std::string hostname;
  std::vector<std::string> addresses;  ///< Of its interfaces.
  std::optional<int> cpus;             ///< That are online.
  std::optional<std::uint64_t> memory_bytes;
  std::map<std::string, std::uint64_t> free_bytes;  ///< Of each folder asked about that is there.
  std::optional<std::uint64_t> open_files;          ///< The limit, per process.
  std::string kernel;
  std::string libmpi;    ///< Open MPI's: "libmpi.so.40.30.4"; empty: not found.
  std::string libmpich;  ///< MPICH's: "libmpich.so.12.2.2"; likewise.
  std::string libpmix;   ///< Likewise.
  /// Its clock less ours, and by how much that may be wrong.
  std::optional<std::chrono::nanoseconds> clock_offset;
  std::chrono::nanoseconds clock_bound{0};
  std::optional<std::string> program;        ///< Where the program lies; empty: it is not there.
  std::map<std::string, std::string> peers;  ///< Why "HOST:PORT" cannot be reached from it; empty: it can.
};

/// The number of CPUs in a list of the kernel's, such as "0-3,8"; nothing where it is none.
std::optional<int> cpus_of(const std::string& list);

/// "MemTotal" of /proc/meminfo, in bytes.
std::optional<std::uint64_t> memory_of(const std::string& meminfo);

/// The soft limit "Max open files" of /proc/self/limits.
std::optional<std::uint64_t> open_files_of(const std::string& limits);

/// The free space in what `df -Pk` printed, in the order of its lines.
std::vector<std::uint64_t> free_of(const std::string& df);

/// The name with the longest version among those that begin with `stem` ("libmpi.so."); empty: none.
std::string library_in(const std::vector<std::string>& names, const std::string& stem);

/// Open MPI's library among them; empty: none. A "libmpi.so.12" is not taken for it: MPICH and what shares
/// its ABI have that name (as had Open MPI 1.10, of 2015).
std::string open_mpi_in(const std::vector<std::string>& names);

/// MPICH's library among them: libmpich, as Debian names it, else the libmpi.so.12 of MPICH itself, MVAPICH
/// and Intel MPI; empty: none.
std::string mpich_in(const std::vector<std::string>& names);

}  // namespace adarun::launcher
