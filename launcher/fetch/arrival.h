// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/protocol/fetch.h"

namespace adarun::launcher {

/// What the launcher already has of a node's file.
struct Known {
  std::uint64_t size_bytes = 0;
  std::string hash;  ///< Of those bytes (see base::Blake2b); empty: do not compare.
};

/// Result of fetching a file.
enum class Arrived {
  fresh,    ///< Some or all of its bytes were new.
  kept,     ///< The launcher already had all of it.
  damaged,  ///< The received bytes do not match what was sent; the previous file is kept.
};

/// Destination of a node's file. Functions throw Error when it cannot be written, such as on a full disk.
class Arrival {
 public:
  virtual ~Arrival() = default;

  /// What has been received already.
  virtual Known known() = 0;

  /// Writes `bytes` at `offset`. The first call's offset is either the known size, to append, or 0, to start
  /// over; each later call continues where the previous one ended.
  virtual void take(std::uint64_t offset, std::string_view bytes) = 0;

  /// All bytes have been given.
  virtual Arrived finish(const protocol::Fetched& fetched) = 0;
};

}  // namespace adarun::launcher
