// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::launcher::protocol {

/// Compresses text with many repetitions, such as rank tables and the data of PMIx servers: a repeated
/// stretch is replaced by a reference to an earlier one. Optimized for speed rather than size: a launcher
/// packs some hundred MB/s, which thousands of agents unpack.
///
/// Format: the size of the text; then, until that size is reached: a count of bytes, these bytes, and, unless
/// that was the end, the length of a repeated stretch and its distance back. All numbers are little-endian
/// groups of 7 bits, with the highest bit set in all bytes but the last (LEB128).
std::string pack(std::string_view text);

/// The original text. Throws protocol::Error if the bytes are not a result of pack(), or the text is longer
/// than `max_bytes`; allocates no more than that.
std::string unpack(std::string_view packed, std::size_t max_bytes);

}  // namespace adarun::launcher::protocol
