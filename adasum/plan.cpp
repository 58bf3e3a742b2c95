// SPDX-License-Identifier: Apache-2.0
#include "adasum/plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "adasum/algorithms/message_course.h"
#include "adasum/algorithms/node_course.h"
#include "adasum/error.h"
#include "adasum/kernels/finite.h"
#include "adasum/tensors.h"

namespace adasum {
namespace {

// What there is to do in a world of one.
template <typename T>
class LoneCourse : public algorithms::Course {
 public:
  explicit LoneCourse(Tensors<T> tensors) : tensors_(std::move(tensors)) {}
  std::optional<int> run() override { return tensors_.finite() ? std::nullopt : std::optional(0); }

 private:
  Tensors<T> tensors_;
};

template <typename T>
std::unique_ptr<algorithms::Course> course_of(Engine& engine, Tensors<T> tensors) {
  if (engine.world().size() == 1) return std::make_unique<LoneCourse<T>>(std::move(tensors));
  if (auto course = algorithms::node_course(engine, tensors)) return course;
  if (engine.options().algorithm == Algorithm::shared)
    throw Misfit("the shared algorithm: the ranks of a node share no memory, or do not hold whole groups of the tree");
  return algorithms::message_course(engine, std::move(tensors));
}

}  // namespace

template <typename T>
Plan<T>::Plan(Engine& engine, std::vector<std::span<T>> list) {
  Tensors<T> tensors(std::move(list));
  engine.agree(fingerprint_of(tensors), false);
  course_ = course_of(engine, std::move(tensors));
}

template class Plan<float>;
template class Plan<double>;
template class Plan<Float16>;
template class Plan<BFloat16>;

}  // namespace adasum
