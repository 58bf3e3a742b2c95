// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/context.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "adasum/types/layout.h"

namespace adasum::c {
namespace {

thread_local std::string last_error;

// Which context allocated each block of memory: adasum_free() gets only the address. For any thread.
struct Owners {
  std::mutex mutex;
  std::map<void*, Context*> of;
};

// Never destroyed: a world may be freed while the process exits.
Owners& owners() {
  static Owners& owners = *new Owners;
  return owners;
}

void note_owner(void* memory, Context* context) {
  const std::lock_guard lock(owners().mutex);
  owners().of[memory] = context;
}

// The context of a block, which is noted no more; null: it has none, or that is gone.
Context* take_owner(void* memory) {
  const std::lock_guard lock(owners().mutex);
  const auto owner = owners().of.find(memory);
  if (owner == owners().of.end()) return nullptr;
  Context* const context = owner->second;
  owners().of.erase(owner);
  return context;
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

Context::Context(std::unique_ptr<Communicator> communicator, std::unique_ptr<Communicator> parts)
    : communicator_(std::move(communicator)),
      parts_(std::move(parts)),
      home_(*communicator_, {.worlds = Worlds::any}, parts_.get()) {}

Context::~Context() {
  const std::lock_guard lock(owners().mutex);
  std::erase_if(owners().of, [this](const auto& block) { return block.second == this; });
}

Context::CachedEngine::CachedEngine(Engine& home, const adasum_options& options)
    : asked(options), engine(home, options_of(options)) {}

// What all ranks are refused alike leaves them as they were.
template <typename Body>
auto Context::or_give_up(const Body& body) {
  try {
    return body();
  } catch (const TensorListMismatch&) {
    throw;
  } catch (const UnsupportedWorld&) {
    throw;
  } catch (...) {
    give_up();
    throw;
  }
}

std::optional<int> Context::allreduce(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                                      const adasum_options& options) {
  return or_give_up([&] { return combine(tensors, dtype, options); });
}

void Context::broadcast(void* data, std::int64_t size_bytes, int root) {
  or_give_up([&] {
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(size_bytes, 0));
    if (data == nullptr && size > 0) throw Error("broadcast of " + std::to_string(size) + " bytes at NULL");
    communicator_->broadcast({static_cast<std::byte*>(data), size}, root);
  });
}

std::optional<int> Context::combine(std::span<const adasum_tensor> tensors, adasum_dtype dtype,
                                    const adasum_options& options) {
  require_agreement(tensors, dtype, options);
  CachedEngine& cached = engine_for(options);
  switch (dtype) {
    case ADASUM_FLOAT32:
      return run(cached.engine, cached.floats, tensors);
    case ADASUM_FLOAT64:
      return run(cached.engine, cached.doubles, tensors);
    case ADASUM_FLOAT16:
      return run(cached.engine, cached.float16s, tensors);
    case ADASUM_BFLOAT16:
      return run(cached.engine, cached.bfloat16s, tensors);
  }
  return std::nullopt;
}

void Context::give_up() {
  for (CachedEngine& cached : engines_) cached.engine.give_up();
  home_.give_up();
}

void Context::free(const void* memory) {
  for (CachedEngine& cached : engines_) {
    cached.floats.clear();
    cached.doubles.clear();
    cached.float16s.clear();
    cached.bfloat16s.clear();
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
std::optional<int> Context::run(Engine& engine, PlanCache<T>& plans, std::span<const adasum_tensor> tensors) {
  std::vector<std::span<T>> list;
  list.reserve(tensors.size());
  for (const adasum_tensor& tensor : tensors)
    list.emplace_back(static_cast<T*>(tensor.data), static_cast<std::size_t>(tensor.count));
  return plans.plan_for(engine, list).run();
}

int failed(adasum_error error, const std::string& why) {
  last_error = why;
  return error;
}

int allreduce(Context& context, const adasum_tensor* tensors, std::int64_t count, adasum_dtype dtype,
              const adasum_options* options) {
  constexpr adasum_tensor not_given{nullptr, 1};  // The other ranks are to learn of it, too.
  const bool is_list = count == 0 || (count > 0 && tensors != nullptr);
  const auto list = is_list ? std::span(tensors, static_cast<std::size_t>(count)) : std::span(&not_given, 1);
  const auto rank = context.allreduce(list, dtype, options != nullptr ? *options : adasum_options{});
  if (!rank) return ADASUM_OK;
  // With parts it is a replica, of whose ranks any may have it.
  const int number = context.has_parts() ? *rank : context.communicator().world_rank(*rank);
  return failed(ADASUM_NOT_FINITE, "rank " + std::to_string(number) + " has NaN or an infinity");
}

int allocate(Context& context, std::int64_t bytes, void** ptr) {
  const auto memory = context.allocate(static_cast<std::size_t>(bytes));  // Negative: more than there is.
  note_owner(memory.data(), &context);
  *ptr = memory.data();
  return ADASUM_OK;
}

}  // namespace adasum::c

extern "C" {

void adasum_free(void* ptr) {
  if (ptr == nullptr) return;
  // This waits for the other ranks.
  if (adasum::c::Context* const context = adasum::c::take_owner(ptr)) context->free(ptr);
}

const char* adasum_last_error(void) {
  return adasum::c::last_error.c_str();
}
}
