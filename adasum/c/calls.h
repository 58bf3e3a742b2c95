// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "adasum/c/adasum.h"
#include "adasum/c/context.h"
#include "adasum/types/error.h"

/// What the functions of the C API have in common.
namespace adasum::c {

/// Keeps `why` for adasum_last_error() of this thread, and returns `error`.
int failed(adasum_error error, const std::string& why);

/// Returns what `body` returns; exceptions become error codes.
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

/// adasum_allreduce on the ranks of a context; throws.
int allreduce(Context& context, const adasum_tensor* tensors, std::int64_t count, adasum_dtype dtype,
              const adasum_options* options);

/// Memory of a context, for adasum_free(); throws.
int allocate(Context& context, std::int64_t bytes, void** ptr);

}  // namespace adasum::c
