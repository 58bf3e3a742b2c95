// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// How long the port is open, how long a connection may take to name the secret, and how long it is served.
inline constexpr std::chrono::minutes link_server_time{10};
inline constexpr std::chrono::seconds link_secret_time{2};
inline constexpr std::chrono::seconds link_connection_time{10};

/// The bytes of the secret that both ends of a link know.
inline constexpr std::size_t link_secret_bytes = 32;

/// Serves the far end of links that other nodes measure. A connection first sends `secret` and a
/// LinkExchange, and is then served by a process of its own, eight at once. Of those that have not yet done
/// so, 64 are kept, the newest. A single-threaded process of its own calls it, whose children are ended with
/// it; it returns after `link_server_time`.
void serve_links(const base::FileDescriptor& listening, const std::string& secret);

}  // namespace adarun::launcher::agent
