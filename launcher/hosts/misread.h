// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace adarun::launcher {

/// Throws Error, whose message begins with `where`, if a list holds what a shell would have replaced:
/// `node{1,2}` or `node*`.
void refuse_shell_words(std::string_view list, const std::string& where);

/// The same for an item of a list whose colons have several meanings: `10.0.0.1:22:8`, and `fd00::2:8`, which
/// is an address that ends in 8 or one with 8 devices.
void refuse_unclear_colons(std::string_view item, const std::string& where);

/// Whether a word of a list is more likely a file that is not there: `hosts.txt`, `hostfile`.
bool names_a_file(std::string_view word);

}  // namespace adarun::launcher
