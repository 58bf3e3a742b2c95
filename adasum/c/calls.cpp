// SPDX-License-Identifier: Apache-2.0
#include "adasum/c/calls.h"

#include <cstddef>
#include <span>

#include "adasum/c/context.h"

namespace adasum::c {
namespace {

thread_local std::string last_error;

}  // namespace

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
