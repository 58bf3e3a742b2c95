// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/agent/ranks/spawn.h"

namespace adarun::launcher::agent {

/// Whether the ELF file at `path` names a library of MPI among those that it needs (DT_NEEDED): libmpi.so,
/// libmpi_cxx.so, libmpich.so, libmpifort.so and their like. False for what cannot be read, is no regular
/// file, or is no ELF file of this machine's word size and byte order. Reads a few pages of it.
bool needs_mpi(const std::string& path);

/// The same for the file that would be executed; a script's interpreter is not followed.
bool needs_mpi(const Program& program);

}  // namespace adarun::launcher::agent
