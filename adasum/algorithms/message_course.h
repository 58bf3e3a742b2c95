// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// By messages: tree() or gram(), on the tensors themselves where they are contiguous and results are wanted in
/// place, else on a copy. `engine` must outlive it. T as for Plan.
template <typename T>
std::unique_ptr<Course> message_course(Engine& engine, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
