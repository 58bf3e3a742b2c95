// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adarun::cli {

/// The IPv4 address that this machine's host name resolves to, as the reference generator takes it, or else
/// its first IPv6 address. Throws std::runtime_error where it does not resolve.
std::string own_address();

/// Whether other machines cannot reach this address: 127.x.x.x or ::1.
bool is_loopback(const std::string& address);

}  // namespace adarun::cli
