// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/mpi_communicator.h"  // before other headers that include mpi.h

#include "adasum/c/context.h"

namespace adasum::c {

/// The context that is attached to `comm`, created if there is none. Collective over `comm`. Throws
/// adasum::Error.
Context& context_of(MPI_Comm comm);

/// The context of `comm` with parts of tensors on the ranks of `parts`, created if there is none. It lives
/// until `parts` is freed. Collective over both. Throws adasum::Error.
Context& context_of(MPI_Comm comm, MPI_Comm parts);

}  // namespace adasum::c
