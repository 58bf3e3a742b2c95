// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/world.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "adasum/error.h"
#include "adasum/fingerprint.h"

namespace adasum::c {
namespace {

int forget(MPI_Comm, int, void* world, void*) {
  delete static_cast<World*>(world);
  return MPI_SUCCESS;
}

// Under which MPI keeps our world with a communicator. Duplicates get worlds of their own.
int keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr);
    return made;
  }();
  return key;
}

std::size_t size_of(adasum_dtype dtype) {
  switch (dtype) {
    case ADASUM_FLOAT32:
      return sizeof(float);
    case ADASUM_FLOAT64:
      return sizeof(double);
    case ADASUM_FLOAT16:
    case ADASUM_BFLOAT16:
      return sizeof(std::uint16_t);
  }
  return 0;
}

bool is_sound(const adasum_tensor& tensor, adasum_dtype dtype) {
  return tensor.count >= 0 && (tensor.data != nullptr || tensor.count == 0) &&
         static_cast<std::uint64_t>(tensor.count) <= SIZE_MAX / 2 / size_of(dtype);
}

bool same(const adasum_options& a, const adasum_options& b) {
  return a.group_size == b.group_size && a.algorithm == b.algorithm && (a.any_world != 0) == (b.any_world != 0);
}

Options options_of(const adasum_options& asked) {
  return {.group_size = asked.group_size == 0 ? 1 : asked.group_size,
          .algorithm = static_cast<Algorithm>(asked.algorithm),
          .worlds = asked.any_world != 0 ? Worlds::any : Worlds::powers_of_two};
}

}  // namespace

World& World::of(MPI_Comm comm) {
  void* found = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, keyval(), &found, &is_there);
  if (is_there != 0) return *static_cast<World*>(found);
  auto world = std::make_unique<World>(comm);
  if (MPI_Comm_set_attr(comm, keyval(), world.get()) != MPI_SUCCESS) throw Error("the communicator takes no attribute");
  return *world.release();
}

World::World(MPI_Comm comm) : peers_(mpi_peers(comm)), home_(*peers_, {.worlds = Worlds::any}) {}

World::Way::Way(Engine& home, const adasum_options& options) : asked(options), engine(home, options_of(options)) {}

std::optional<int> World::allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                                    const adasum_options& options) {
  require_agreement(tensors, dtype, options);
  Way& way = way_of(options);
  switch (dtype) {
    case ADASUM_FLOAT32:
      return run(way, way.floats, tensors);
    case ADASUM_FLOAT64:
      return run(way, way.doubles, tensors);
    case ADASUM_FLOAT16:
      return run(way, way.float16s, tensors);
    case ADASUM_BFLOAT16:
      return run(way, way.bfloat16s, tensors);
  }
  return std::nullopt;
}

void World::free(const void* memory) {
  for (Way& way : ways_) {
    way.floats = {};
    way.doubles = {};
    way.float16s = {};
    way.bfloat16s = {};
  }
  home_.free(memory);
}

// What is wrong on one rank makes it differ from the others; where it is wrong on all of them, they agree on that.
void World::require_agreement(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                              const adasum_options& options) {
  Fingerprint fingerprint;
  bool sound = size_of(dtype) != 0 && options.algorithm >= ADASUM_AUTO && options.algorithm <= ADASUM_SHARED;
  for (const adasum_tensor& tensor : tensors) sound = sound && is_sound(tensor, dtype);
  fingerprint.add(sound ? 1 : 0);
  if (sound) {
    fingerprint.add(tensors.size());
    for (const int number : {int{dtype}, options.group_size, int{options.algorithm}, options.any_world != 0 ? 1 : 0})
      fingerprint.add(static_cast<std::uint64_t>(number));
    for (const adasum_tensor& tensor : tensors) fingerprint.add(static_cast<std::uint64_t>(tensor.count));
  }
  home_.agree(fingerprint.value(), false);
  if (!sound) throw ListsDiffer("a tensor without memory, a negative count, or a type or algorithm that is none");
}

World::Way& World::way_of(const adasum_options& options) {
  const auto found = std::ranges::find_if(ways_, [&](const Way& way) { return same(way.asked, options); });
  return found != ways_.end() ? *found : ways_.emplace_back(home_, options);
}

template <typename T>
std::optional<int> World::run(Way& way, Prepared<T>& prepared, std::span<const adasum_tensor> tensors) {
  std::vector<std::span<T>> list;
  for (const adasum_tensor& tensor : tensors)
    list.emplace_back(static_cast<T*>(tensor.data), static_cast<std::size_t>(tensor.count));
  const auto same_place = [](std::span<T> a, std::span<T> b) { return a.data() == b.data() && a.size() == b.size(); };
  const bool is_new = !prepared.plan || !std::ranges::equal(list, prepared.tensors, same_place);
  if (way.engine.agree(0, is_new)) {
    prepared.plan.reset();
    prepared.plan.emplace(way.engine, list);
    prepared.tensors = std::move(list);
  }
  return prepared.plan->run();
}

}  // namespace adasum::c
