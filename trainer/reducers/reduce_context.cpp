// SPDX-License-Identifier: Apache-2.0
#include "trainer/reducers/reduce_context.h"

#include <cassert>

namespace adarun::trainer {
namespace {

std::unique_ptr<adasum::Engine> make_engine(adasum::Communicator& communicator, const Reduction& reduction,
                                            Diagnostics diagnostics) {
  if (reduction.reduce != Reduce::adasum) return nullptr;
  // choose_reduction() has already checked the world.
  const adasum::Options options{.group_size = reduction.group_size,
                                .group_gain = reduction.group_gain,
                                .worlds = adasum::Worlds::any,
                                .diagnostics = diagnostics == Diagnostics::yes};
  return std::make_unique<adasum::Engine>(communicator, options);
}

}  // namespace

ReduceContext::ReduceContext(adasum::Communicator& world, const Reduction& how, Diagnostics diagnostics)
    : communicator(world), reduction(how), engine(make_engine(world, how, diagnostics)) {}

ReduceContext::ReduceContext(SplitRun& run, const Reduction& how)
    : communicator(run.groups().world()), reduction(how), split(&run) {}

std::span<float> ReduceContext::allocate(std::size_t count) const {
  assert(engine);
  const std::span<std::byte> bytes = engine->allocate(count * sizeof(float));
  return {reinterpret_cast<float*>(bytes.data()), count};
}

}  // namespace adarun::trainer
