// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/make_course.h"

#include <utility>

#include "adasum/algorithms/message_course.h"
#include "adasum/algorithms/node_course.h"
#include "adasum/algorithms/nodes_course.h"
#include "adasum/algorithms/small_course.h"
#include "adasum/error.h"
#include "adasum/number.h"

namespace adasum::algorithms {
namespace {

// What there is to do in a world of one.
template <typename T>
class LoneCourse : public Course {
 public:
  explicit LoneCourse(Tensors<T> tensors) : tensors_(std::move(tensors)) {}
  std::optional<int> combine() override { return tensors_.finite() ? std::nullopt : std::optional(0); }
  void commit() override {}

 private:
  Tensors<T> tensors_;
};

}  // namespace

template <typename T>
std::unique_ptr<Course> make_course(Engine& engine, Tensors<T> tensors, Results results) {
  engine.agree(fingerprint_of(tensors), false);
  if (engine.world().size() == 1) return std::make_unique<LoneCourse<T>>(std::move(tensors));
  if (auto course = small_course(engine, tensors)) return course;
  if (auto course = node_course(engine, tensors)) return course;
  if (auto course = nodes_course(engine, tensors, results)) return course;
  if (engine.options().algorithm == Algorithm::shared)
    throw Misfit("the shared algorithm: the ranks of a node share no memory, or do not hold whole groups of the tree");
  return message_course(engine, std::move(tensors), results);
}

template std::unique_ptr<Course> make_course<float>(Engine&, Tensors<float>, Results);
template std::unique_ptr<Course> make_course<double>(Engine&, Tensors<double>, Results);
template std::unique_ptr<Course> make_course<Float16>(Engine&, Tensors<Float16>, Results);
template std::unique_ptr<Course> make_course<BFloat16>(Engine&, Tensors<BFloat16>, Results);

}  // namespace adasum::algorithms
