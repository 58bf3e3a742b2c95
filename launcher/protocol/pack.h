// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace adarun::launcher::protocol {

/// Makes text with many repetitions small, such as rank tables and what PMIx servers exchange: stretches that
/// came before are named instead of repeated. Quick rather than thorough, so that a launcher packs at some
/// hundred MB/s what thousands of agents then unpack.
///
/// Format: the size of the text, then, until that size is reached: a count of bytes, these bytes, and, unless
/// that was the end, a length and how far back the stretch of that length begins. All numbers are
/// little-endian groups of 7 bits, the highest bit set on all but the last.
std::string pack(std::string_view text);

/// The text again. Throws protocol::Error where the bytes are none of pack(), or the text is longer than
/// `max_bytes`; allocates no more than that.
std::string unpack(std::string_view packed, std::size_t max_bytes);

}  // namespace adarun::launcher::protocol
