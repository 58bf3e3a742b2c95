// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// On one node, by shared memory: each rank reads its share of the elements of all ranks where they are (NodeVectors),
/// makes their tree (RowTree), and writes the result to all of them; so nothing is copied, unless tensors are not in
/// memory of Engine::allocate(). All is read before anything is written.
///
/// With p ranks and n elements, each rank reads 2n of all vectors and writes n; three barriers. Null, on all ranks,
/// where ranks are on several nodes or share no memory. Collective; `engine` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<Course> node_course(Engine& engine, const Tensors<T>& tensors);

}  // namespace adasum::algorithms
