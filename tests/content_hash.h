// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/blake2b.h"

namespace adarun::base {

/// The hash of a whole text.
inline std::string hash_of_text(const std::string& text) {
  Blake2b hash;
  hash.update(text);
  return hash.hex();
}

}  // namespace adarun::base
