// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/run_id.h"

#include <cstdio>
#include <random>

namespace adarun::trainer {

std::string new_run_id() {
  std::random_device random;
  std::string id;
  for (int part = 0; part < 4; ++part) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random());
    id += digits;
  }
  return id;
}

bool is_run_id(std::string_view text) {
  constexpr std::string_view letters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace adarun::trainer
