// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// The IPv4 address that this machine's host name resolves to, as the reference generator takes it. Throws
/// std::runtime_error where it does not resolve.
std::string own_address();

/// Whether other machines cannot reach this IPv4 address: 127.x.x.x.
bool is_loopback(const std::string& address);

}  // namespace adarun::cli
