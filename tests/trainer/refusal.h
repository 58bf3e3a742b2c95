// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "trainer/base/error.h"

namespace adarun::trainer::testing_data {

/// The message that `call` throws, with an `Expected`; "accepted" if it throws nothing.
template <typename Expected = Error>
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Expected& error) {
    return error.what();
  }
  return "accepted";
}

/// The message of the Error that `call` throws, which must have `status`.
inline std::string refusal(Exit status, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    return error.what();
  }
  return "accepted";
}

}  // namespace adarun::trainer::testing_data
