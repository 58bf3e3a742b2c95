// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "adasum/algorithms/course.h"
#include "adasum/engine.h"
#include "adasum/tensors.h"

namespace adasum::algorithms {

/// The way that the engine's options, its world and the place of the tensors ask for. Collective; `engine` must outlive
/// it. Throws adasum::Error on every rank where lists differ, or the shared algorithm is wanted and cannot be had.
/// T as for Plan.
template <typename T>
std::unique_ptr<Course> make_course(Engine& engine, Tensors<T> tensors, Results results);

}  // namespace adasum::algorithms
