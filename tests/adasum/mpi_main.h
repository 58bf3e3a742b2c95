// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/communicator.h"

namespace adasum {

/// All ranks of a test program that mpirun started. Valid while run_mpi_tests() runs.
extern Communicator* world;

/// Runs every test on every rank; rank 0 prints GoogleTest's output, the others only their failures. Returns
/// the exit status.
int run_mpi_tests(int argc, char** argv);

}  // namespace adasum
