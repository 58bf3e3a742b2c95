// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// How long the port of a LinkServer is open, and how long it serves one connection.
inline constexpr std::chrono::minutes link_server_time{10};
inline constexpr std::chrono::seconds link_connection_time{10};

/// The bytes of the secret that both ends of a link know.
inline constexpr std::size_t link_secret_bytes = 32;

/// Serves the far end of links that other nodes measure: each connection by a process of its own, at most 8
/// at once, none that does not send `secret` first. A single-threaded process of its own calls it, whose
/// children are ended with it; it returns after `link_server_time`.
void serve_links(const base::FileDescriptor& listening, const std::string& secret);

}  // namespace adarun::launcher::agent
