// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "launcher/content/blake2b.h"

namespace adarun::content {

/// Of a whole text.
inline std::string hash_of_text(const std::string& text) {
  Blake2b hash;
  hash.update(text);
  return hash.hex();
}

}  // namespace adarun::content
