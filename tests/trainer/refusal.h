// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "trainer/base/error.h"

namespace adarun::trainer::testing_data {

/// The message that `call` throws.
inline std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace adarun::trainer::testing_data
