// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "launcher/base/error.h"

namespace adarun::launcher {

/// The message of the Error that `act` throws; empty: it throws none.
inline std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace adarun::launcher
