// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "adasum/types/error.h"

namespace adasum {

/// What `body` throws, which is an `Expected`; "none" if it throws nothing.
template <typename Expected = Error, typename Body>
std::string failure(const Body& body) {
  try {
    body();
  } catch (const Expected& error) {
    return error.what();
  }
  return "none";
}

}  // namespace adasum
