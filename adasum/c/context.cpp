// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/context.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "adasum/types/error.h"
#include "adasum/types/fingerprint.h"

namespace adasum::c {
namespace {

template <typename Attribute>
int delete_attribute(MPI_Comm, int, void* attribute, void*) {
  delete static_cast<Attribute*>(attribute);
  return MPI_SUCCESS;
}

// The key of the attribute of this type. A duplicated communicator does not inherit it.
template <typename Attribute>
int keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute<Attribute>, &made, nullptr);
    return made;
  }();
  return key;
}

// The attribute of `comm` that has this type, made by `make` if there is none.
template <typename Attribute, typename Make>
Attribute& attribute_of(MPI_Comm comm, const Make& make) {
  void* found = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, keyval<Attribute>(), &found, &is_there);
  if (is_there != 0) return *static_cast<Attribute*>(found);
  auto made = make();
  if (MPI_Comm_set_attr(comm, keyval<Attribute>(), made.get()) != MPI_SUCCESS)
    throw Error("the communicator takes no attribute");
  return *made.release();
}

// The contexts whose parts are on the ranks of a communicator, by the ids of the contexts of their `comm`.
using ContextsOfParts = std::map<std::uint64_t, std::unique_ptr<Context>>;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
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
  return a.group_size == b.group_size && a.algorithm == b.algorithm &&
         (a.any_world != 0) == (b.any_world != 0);
}

Options options_of(const adasum_options& asked) {
  return {.group_size = asked.group_size == 0 ? 1 : asked.group_size,
          .algorithm = static_cast<Algorithm>(asked.algorithm),
          .worlds = asked.any_world != 0 ? Worlds::any : Worlds::powers_of_two};
}

}  // namespace

Context& Context::of(MPI_Comm comm) {
  return attribute_of<Context>(comm, [comm] { return std::make_unique<Context>(comm); });
}

Context& Context::of(MPI_Comm comm, MPI_Comm parts) {
  const std::uint64_t id = of(comm).id_;
  auto& contexts = attribute_of<ContextsOfParts>(parts, [] { return std::make_unique<ContextsOfParts>(); });
  std::unique_ptr<Context>& found = contexts[id];
  if (!found) found = std::make_unique<Context>(comm, parts);
  return *found;
}

Context::Context(MPI_Comm comm, MPI_Comm parts)
    : id_(next_id()),
      communicator_(mpi_communicator(comm)),
      parts_(parts != MPI_COMM_NULL ? mpi_communicator(parts) : nullptr),
      home_(*communicator_, {.worlds = Worlds::any}, parts_.get()) {}

Context::CachedEngine::CachedEngine(Engine& home, const adasum_options& options)
    : asked(options), engine(home, options_of(options)) {}

std::optional<int> Context::allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                                      const adasum_options& options) {
  require_agreement(tensors, dtype, options);
  CachedEngine& cached = engine_for(options);
  switch (dtype) {
    case ADASUM_FLOAT32:
      return run(cached, cached.floats, tensors);
    case ADASUM_FLOAT64:
      return run(cached, cached.doubles, tensors);
    case ADASUM_FLOAT16:
      return run(cached, cached.float16s, tensors);
    case ADASUM_BFLOAT16:
      return run(cached, cached.bfloat16s, tensors);
  }
  return std::nullopt;
}

void Context::free(const void* memory) {
  for (CachedEngine& cached : engines_) {
    cached.floats = {};
    cached.doubles = {};
    cached.float16s = {};
    cached.bfloat16s = {};
  }
  home_.free(memory);
}

// An argument that is invalid on one rank makes the fingerprints differ; if it is invalid on all ranks, all
// refuse it.
void Context::require_agreement(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                                const adasum_options& options) {
  Fingerprint fingerprint;
  bool sound = size_of(dtype) != 0 && options.algorithm >= ADASUM_AUTO && options.algorithm <= ADASUM_SHARED;
  for (const adasum_tensor& tensor : tensors) sound = sound && is_sound(tensor, dtype);
  fingerprint.add(sound ? 1 : 0);
  if (sound) {
    fingerprint.add(tensors.size());
    for (const int number :
         {int{dtype}, options.group_size, int{options.algorithm}, options.any_world != 0 ? 1 : 0})
      fingerprint.add(static_cast<std::uint64_t>(number));
  }
  const std::uint64_t of_parts = fingerprint.value();
  if (sound) {
    for (const adasum_tensor& tensor : tensors) fingerprint.add(static_cast<std::uint64_t>(tensor.count));
  }
  if (home_.topology().agree(fingerprint.value(), !sound, of_parts))
    throw TensorListMismatch(
        "a tensor without memory, a negative count, or a type or algorithm that is none");
}

Context::CachedEngine& Context::engine_for(const adasum_options& options) {
  const auto found =
      std::ranges::find_if(engines_, [&](const CachedEngine& cached) { return same(cached.asked, options); });
  return found != engines_.end() ? *found : engines_.emplace_back(home_, options);
}

template <typename T>
std::optional<int> Context::run(CachedEngine& cached, CachedPlan<T>& cached_plan,
                                std::span<const adasum_tensor> tensors) {
  std::vector<std::span<T>> list;
  for (const adasum_tensor& tensor : tensors)
    list.emplace_back(static_cast<T*>(tensor.data), static_cast<std::size_t>(tensor.count));
  const auto same_place = [](std::span<T> a, std::span<T> b) {
    return a.data() == b.data() && a.size() == b.size();
  };
  // Any rank's new list is new for all: plans are made together.
  const bool is_new = !cached_plan.plan || !std::ranges::equal(list, cached_plan.tensors, same_place);
  if (cached.engine.topology().agree(0, is_new)) {
    cached_plan.plan.reset();
    cached_plan.plan.emplace(cached.engine, list);
    cached_plan.tensors = std::move(list);
  }
  return cached_plan.plan->run();
}

}  // namespace adasum::c
