// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <memory>

#include "adasum/peers.h"

namespace adasum {

/// The ranks of `comm`, of which a duplicate is made: their messages meet nobody else's. Collective over `comm`. Must
/// not outlive MPI. Throws adasum::Error.
std::unique_ptr<Peers> mpi_peers(MPI_Comm comm);

}  // namespace adasum
