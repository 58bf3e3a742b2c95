// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/launcher/agent/mpi/mpi_job.h"

namespace adarun::launcher::agent {

/// The number of ranks, of which node i has `ranks_of[i]`.
std::uint32_t world_of(const std::vector<std::uint32_t>& ranks_of);

/// Each rank of mpi_program.c has printed its rank, its world and the sum, and nothing on stderr.
void expect_right_lines(MpiJob& job, const std::vector<std::uint32_t>& ranks_of);

/// All ranks joined, finalized and exited with 0.
void expect_good_ends(const MpiJob& job, std::size_t world);

/// Only rank 1 has called MPI_Abort(7).
void expect_abort_of_rank_1(const MpiJob& job);

}  // namespace adarun::launcher::agent
