// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <memory>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// A communicator over a duplicate of `comm`, so that its messages never match those of other code.
/// Collective over `comm`. Must not outlive MPI. Throws adasum::Error.
///
/// For programs that include mpi.h themselves; mpi_session.h needs no MPI header. Include this before other
/// headers that include mpi.h: it leaves out the C++ bindings of Open MPI.
std::unique_ptr<Communicator> mpi_communicator(MPI_Comm comm);

}  // namespace adasum
