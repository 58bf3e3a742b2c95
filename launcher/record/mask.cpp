// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/mask.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace adarun::launcher {

std::string masked(const std::string& variable) {
  constexpr std::array<std::string_view, 5> secret_words{"TOKEN", "SECRET", "KEY", "PASSWORD",
                                                         "PMIX_NAMESPACE"};
  const std::size_t equals = variable.find('=');
  if (equals == std::string::npos) return variable;
  std::string name = variable.substr(0, equals);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  const bool secret = std::any_of(secret_words.begin(), secret_words.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
  return secret ? variable.substr(0, equals) + "=***" : variable;
}

}  // namespace adarun::launcher
