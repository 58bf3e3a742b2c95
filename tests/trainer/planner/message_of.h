// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trainer/planner/model/graph.h"

namespace adarun::planner {

/// The message of the Error that `call` throws; "nothing was thrown" if it does not.
template <typename Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace adarun::planner
