// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/message_course.h"

#include <utility>

#include "adasum/algorithms/gram.h"
#include "adasum/algorithms/group_mean.h"
#include "adasum/algorithms/tree.h"
#include "adasum/finite.h"
#include "adasum/kernels/rows.h"
#include "adasum/number.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {
namespace {

template <typename T>
class MessageCourse : public Course {
 public:
  MessageCourse(Engine& engine, Tensors<T> tensors)
      : engine_(engine), tensors_(std::move(tensors)), contiguous_(tensors_.contiguous()) {}

  std::optional<int> run() override {
    if (contiguous_) return run(tensors_.as_one());
    const auto copy = copy_.take<T>(tensors_.size());
    tensors_.copy_to(copy);
    const auto rank = run(copy);
    if (!rank) tensors_.copy_from(copy);
    return rank;
  }

 private:
  std::optional<int> run(std::span<T> data) {
    const Options& options = engine_.options();
    if (by_gram()) return gram(data, tensors_.layout(), options.group_size, engine_.world(), scratch_);
    if (const auto rank = first_not_finite(tensors_.finite(), engine_.world())) return rank;
    Range mine = tensors_.layout().whole();
    Peers* group = engine_.group();
    if (group) mine = scatter_mean(data, *group, scratch_);
    tree(data, mine, tensors_.layout(), {.across = engine_.across_groups(), .within = group}, scratch_);
    if (group) gather_shares(data, *group);
    return std::nullopt;
  }

  bool by_gram() const {
    if (engine_.options().algorithm != Algorithm::automatic) return engine_.options().algorithm == Algorithm::gram;
    const int groups = engine_.world().size() / engine_.options().group_size;
    const bool has_tree = (groups & (groups - 1)) == 0;
    return !has_tree || static_cast<std::size_t>(engine_.world().size()) <= kernels::max_rows;
  }

  Engine& engine_;
  Tensors<T> tensors_;
  bool contiguous_;
  Scratch scratch_;
  Scratch copy_;
};

}  // namespace

template <typename T>
std::unique_ptr<Course> message_course(Engine& engine, Tensors<T> tensors) {
  return std::make_unique<MessageCourse<T>>(engine, std::move(tensors));
}

template std::unique_ptr<Course> message_course<float>(Engine&, Tensors<float>);
template std::unique_ptr<Course> message_course<double>(Engine&, Tensors<double>);
template std::unique_ptr<Course> message_course<Float16>(Engine&, Tensors<Float16>);
template std::unique_ptr<Course> message_course<BFloat16>(Engine&, Tensors<BFloat16>);

}  // namespace adasum::algorithms
