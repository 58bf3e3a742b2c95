// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adarun::launcher {

/// libssh's defaults, best first, as comma-separated lists.
extern const std::string_view default_key_exchange;
extern const std::string_view default_ciphers;
extern const std::string_view default_macs;
extern const std::string_view default_key_algorithms;

/// The list that `chosen` of an ssh configuration means: itself; with "+" it is appended to the defaults,
/// with "-" removed from them (patterns), with "^" put before them. Empty: no choice.
std::string chosen_algorithms(std::string_view chosen, std::string_view defaults);

/// The algorithms for host keys, those for the known types of key ("ssh-rsa") first.
std::string host_key_algorithms_for(const std::vector<std::string>& known_kinds);

}  // namespace adarun::launcher
