// SPDX-License-Identifier: Apache-2.0
#include "trainer/base/run_id.h"

#include "base/random_digits.h"

namespace adarun::trainer {

std::string new_run_id() {
  return base::random_digits();
}

bool is_run_id(std::string_view text) {
  constexpr std::string_view letters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(letters) == std::string_view::npos;
}

}  // namespace adarun::trainer
