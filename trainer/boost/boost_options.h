// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace adarun::trainer {

/// less_bn: a model with fewer batch normalizations (see LayerOptions).
struct LessBnOptions {
  bool normalize_scores = true;      ///< fn_flag: the last dense layer becomes a normalized one.
  bool centralize_gradients = true;  ///< gc_flag: see make_optimizer().

  bool operator==(const LessBnOptions&) const = default;
};

/// The order in which grad_freeze takes its groups: periodic (the reference's type 0) or drawn (type 1). See
/// FreezeSequence.
enum class FreezeOrder { periodic, drawn };

/// grad_freeze: some steps leave the first layers as they are (see freeze_groups()).
struct GradFreezeOptions {
  int groups = 10;                         ///< param_groups
  FreezeOrder order = FreezeOrder::drawn;  ///< freeze_type
  double full_share = 0.7;                 ///< freeze_p: the share of steps that freeze nothing; in [0, 1).
  int total_steps = 65536;                 ///< The sequence has at least 1.01 times as many entries.

  bool operator==(const GradFreezeOptions&) const = default;
};

/// dim_reduce: steps in a subspace of few dimensions (see make_dim_reduce()).
struct DimReduceOptions {
  double rho = 0.55;
  double gamma = 0.9;
  double alpha = 0.001;
  double sigma = 0.4;
  int components = 32;              ///< n_components
  std::string basis_file = {};      ///< pca_mat_path: an .npy file; empty: made from checkpoints.
  std::string checkpoint_dir = {};  ///< weight_load_dir
  double timeout_s = 1800;          ///< How long making the basis may take.

  bool operator==(const DimReduceOptions&) const = default;
};

/// What the reference's boost dictionary turns on, besides AdaSum and accumulation, which have options of
/// their own.
struct BoostOptions {
  std::optional<LessBnOptions> less_bn;
  std::optional<GradFreezeOptions> grad_freeze;
  std::optional<DimReduceOptions> dim_reduce;
  std::vector<std::string> notes;  ///< Lines for the user.
};

}  // namespace adarun::trainer
