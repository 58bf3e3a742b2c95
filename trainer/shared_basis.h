// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/communicators/communicator.h"
#include "trainer/boost/boost_options.h"
#include "trainer/boost/dim_reduce.h"
#include "trainer/models/model.h"

namespace adarun::trainer {

/// This rank's part of the basis of dim_reduce: of options.basis_file if it exists, else of
/// `pca_mat_temp.npy` in options.checkpoint_dir, which one rank of each node makes of the checkpoints there
/// (write_basis()). Collective. Throws Error on all ranks, with the message of the first that has one: if
/// there is neither, if the file is not a matrix of options.components rows for the trainable values of
/// `model`, or if checkpoints are damaged, of another model, or too few.
SharedBasis load_basis(const DimReduceOptions& options, const Model& model,
                       adasum::Communicator& communicator);

}  // namespace adarun::trainer
