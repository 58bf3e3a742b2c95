// SPDX-License-Identifier: Apache-2.0
#include "adasum/algorithms/message_course.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "adasum/algorithms/gram.h"
#include "adasum/algorithms/group_mean.h"
#include "adasum/algorithms/tree.h"
#include "adasum/finite.h"
#include "adasum/kernels/rows.h"
#include "adasum/number.h"
#include "adasum/peer_scalars.h"
#include "adasum/scratch.h"

namespace adasum::algorithms {
namespace {

template <typename T>
class MessageCourse : public Course {
 public:
  MessageCourse(Engine& engine, Tensors<T> tensors, Results results)
      : engine_(engine),
        tensors_(std::move(tensors)),
        in_place_(results == Results::in_place && tensors_.contiguous()) {}

  std::optional<int> combine() override {
    if (!in_place_) tensors_.copy_to(copy());
    return combine(in_place_ ? tensors_.as_one() : copy());
  }

  void commit() override {
    if (!in_place_) tensors_.copy_from(copy());
  }

  std::span<const double> dots() const override { return dots_; }

 private:
  std::span<T> copy() { return copy_.take<T>(tensors_.size()); }

  std::optional<int> combine(std::span<T> data) {
    const Options& options = engine_.options();
    if (by_gram()) {
      const auto shared =
          options.diagnostics ? TensorNumbers::Shared::all : TensorNumbers::Shared::where_they_are;
      auto result = gram(data, tensors_.layout(), {.across = engine_.world()},
                         {.group = static_cast<std::size_t>(options.group_size), .shared = shared}, scratch_);
      dots_.clear();
      if (options.diagnostics) dots_ = std::move(result.dots);
      return result.not_finite;
    }
    if (const auto rank = first_without(tensors_.finite(), engine_.world())) return rank;
    Range mine = tensors_.layout().whole();
    Peers* group = engine_.group();
    if (group) mine = scatter_mean(data, *group, scratch_);
    std::optional<PeerScalars> within;
    if (group) within.emplace(*group);
    tree(part(data, mine), mine, tensors_.layout(),
         {.across = engine_.across_groups(), .within = within ? &*within : nullptr}, scratch_);
    if (group) gather_shares(data, *group);
    return std::nullopt;
  }

  bool by_gram() const {
    if (engine_.options().algorithm != Algorithm::automatic)
      return engine_.options().algorithm == Algorithm::gram;
    const int groups = engine_.world().size() / engine_.options().group_size;
    const bool has_tree = (groups & (groups - 1)) == 0;
    return !has_tree || static_cast<std::size_t>(engine_.world().size()) <= kernels::max_rows;
  }

  Engine& engine_;
  Tensors<T> tensors_;
  bool in_place_;
  std::vector<double> dots_;
  Scratch scratch_;
  Scratch copy_;
};

}  // namespace

template <typename T>
std::unique_ptr<Course> message_course(Engine& engine, Tensors<T> tensors, Results results) {
  return std::make_unique<MessageCourse<T>>(engine, std::move(tensors), results);
}

template std::unique_ptr<Course> message_course<float>(Engine&, Tensors<float>, Results);
template std::unique_ptr<Course> message_course<double>(Engine&, Tensors<double>, Results);
template std::unique_ptr<Course> message_course<Float16>(Engine&, Tensors<Float16>, Results);
template std::unique_ptr<Course> message_course<BFloat16>(Engine&, Tensors<BFloat16>, Results);

}  // namespace adasum::algorithms
