// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/context.h"

#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "adasum/types/error.h"

namespace adasum::c {
namespace {

thread_local std::string last_error;

int failed(adasum_error error, const std::string& why) {
  last_error = why;
  return error;
}

// Turns exceptions into error codes.
template <typename Body>
int guarded(const Body& body) {
  try {
    return body();
  } catch (const TensorListMismatch& error) {
    return failed(ADASUM_DIFFER, error.what());
  } catch (const UnsupportedWorld& error) {
    return failed(ADASUM_WORLD, error.what());
  } catch (const std::exception& error) {
    return failed(ADASUM_FAILED, error.what());
  }
}

struct TensorList {
  const adasum_tensor* tensors;
  int64_t count;
};

int allreduce(Context& context, const TensorList& list, adasum_dtype dtype, const adasum_options* options) {
  const std::span tensors(list.tensors, list.count > 0 ? static_cast<std::size_t>(list.count) : 0);
  const auto rank = context.allreduce(tensors, dtype, options != nullptr ? *options : adasum_options{});
  if (!rank) return ADASUM_OK;
  return failed(ADASUM_NOT_FINITE, "rank " + std::to_string(*rank) + " has NaN or an infinity");
}

// The context that allocated each block of memory: adasum_free gets only the address.
struct Owners {
  std::mutex mutex;
  std::map<void*, Context*> of;
};

Owners& owners() {
  static Owners owners;
  return owners;
}

}  // namespace
}  // namespace adasum::c

using namespace adasum::c;

extern "C" {

int adasum_allreduce_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                         const adasum_options* options) {
  return guarded([&] { return allreduce(Context::of(comm), {tensors, n}, dtype, options); });
}

int adasum_allreduce_parts_mpi(adasum_tensor* tensors, int64_t n, adasum_dtype dtype, MPI_Comm comm,
                               MPI_Comm parts, const adasum_options* options) {
  return guarded([&] { return allreduce(Context::of(comm, parts), {tensors, n}, dtype, options); });
}

int adasum_alloc(int64_t bytes, MPI_Comm comm, void** ptr) {
  return guarded([&]() -> int {
    Context& context = Context::of(comm);
    const auto memory = context.allocate(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    const std::lock_guard lock(owners().mutex);
    owners().of[memory.data()] = &context;
    *ptr = memory.data();
    return ADASUM_OK;
  });
}

void adasum_free(void* ptr) {
  if (ptr == nullptr) return;
  Context* context = nullptr;
  {
    const std::lock_guard lock(owners().mutex);
    const auto owner = owners().of.find(ptr);
    if (owner == owners().of.end()) return;
    context = owner->second;
    owners().of.erase(owner);
  }
  // Not under the lock: this waits for the other ranks, and another thread of a rank may hold them up.
  context->free(ptr);
}

const char* adasum_last_error(void) {
  return last_error.c_str();
}
}
