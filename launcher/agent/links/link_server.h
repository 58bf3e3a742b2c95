// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher::agent {

/// The bytes of the secret that both ends of a link know.
inline constexpr std::size_t link_secret_bytes = 32;

/// Serves the far end of links that other nodes measure. A connection first sends `secret` and what
/// is to be measured, and is then served by a process of its own, eight at once. Of those that have not yet
/// done so, 64 are kept, the newest. A single-threaded process of its own calls it, whose children are ended
/// with it; it returns after ten minutes.
void serve_links(const base::FileDescriptor& listening, const std::string& secret);

/// Measures the link to a node that calls serve_links() for `address` and `port`: time there and back in ns,
/// bytes/s to it, bytes/s from it. Takes about 0.25 s. Throws agent::Error.
std::vector<std::uint64_t> measure_link(const std::string& address, std::uint16_t port,
                                        const std::string& secret);

}  // namespace adarun::launcher::agent
