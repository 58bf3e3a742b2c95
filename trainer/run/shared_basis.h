// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "adasum/communicators/communicator.h"
#include "trainer/boost/dim_reduce.h"
#include "trainer/models/model.h"
#include "trainer/options/options.h"

namespace adarun::trainer {

/// This rank's part of the basis of dim_reduce: of options.basis_file if it exists, else of
/// `pca_mat_temp.npy` in options.checkpoint_dir, made of the checkpoints there (write_basis()). Rank 0 alone
/// reads and makes files, and sends each rank its rows, so that all have rows of one basis whatever the disks
/// of the nodes hold. Collective; the others wait for as long as rank 0 works, whose deadline is
/// options.timeout_s (see waits_for_basis()). Throws Error on all ranks, with the message and status of the
/// first that has one: if there is neither file nor folder, if the file is not a matrix of options.components
/// rows for the trainable values of `model`, if values are not finite, or if checkpoints are damaged, of
/// another model, or too few.
SharedBasis load_basis(const DimReduceOptions& options, const Model& model,
                       adasum::Communicator& communicator);

/// How long ranks must be ready to wait for one another: `usual`, or longer where rank 0 may take longer to
/// make the basis.
std::chrono::milliseconds waits_for_basis(const DimReduceOptions& options, std::chrono::milliseconds usual);

}  // namespace adarun::trainer
