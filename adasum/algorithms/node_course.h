// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// By shared memory: each rank reads its share of the elements of all ranks of its node where they are, makes
/// their tree (RowTree), and writes the result to all of them; so nothing is copied. Tensors that are not in
/// memory of Engine::allocate() on all ranks are copied there and back; so are those of several nodes whose results
/// are held back. Else that costs nothing: all is read before, and written in commit(). Between nodes, the ranks of the same
/// place in theirs go on by tree(), each with its share.
///
/// With p ranks on a node and n elements, each rank reads 2n of its node's and writes n; three barriers. Null,
/// on all ranks, where that does not fit the world: groups, or subtrees, that stretch over nodes in part, or
/// numbers of nodes that are no power of two. Collective; `engine` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<Course> node_course(Engine& engine, const Tensors<T>& tensors, Results results);

}  // namespace adasum::algorithms
