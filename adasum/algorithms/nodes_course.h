// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// On several nodes: each rank makes its share of its node's result as node_course() does, the ranks of the same place in
/// their nodes go on with that by gram(), or by tree() where there are more nodes than kernels::max_rows, and each writes
/// its share of the result to all ranks of its node. Of tensors in groups, and of more than max_rows ranks of a node, copies
/// are made where results are held back.
///
/// Null, on all ranks, where that does not fit the world: nodes of different sizes, groups or subtrees that stretch
/// over nodes in part, or more than max_rows nodes whose number is no power of two. Collective; `engine` must outlive
/// it. T as for Plan.
template <typename T>
std::unique_ptr<Course> nodes_course(Engine& engine, const Tensors<T>& tensors, Results results);

}  // namespace adasum::algorithms
