// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// For vectors that cost less to work on than ranks to wait for: each rank leaves its own in memory of its node, and all
/// make the whole result for themselves, by the same operations. One barrier; over nodes, one all-gather of what each
/// node has made of its ranks' vectors. Bit-equal on all ranks, as all have the same kind of CPU.
///
/// Null, on all ranks, where vectors are longer, or in more tensors, or another algorithm than the automatic one is
/// wanted; of double, whose sums keep more digits where ranks share them; with groups, more than kernels::max_rows ranks of a node, or nodes; and where nodes_course() is. Collective;
/// `engine` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<Course> small_course(Engine& engine, const Tensors<T>& tensors);

}  // namespace adasum::algorithms
