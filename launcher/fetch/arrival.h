// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "launcher/protocol/fetch.h"

namespace adarun::launcher {

/// What is here of a node's file.
struct Known {
  std::uint64_t size_bytes = 0;
  std::string hash;  ///< Of that (see base::Blake2b); empty: not to be compared.
};

/// How a file's way here has ended.
enum class Arrived {
  fresh,    ///< Some or all of it was new.
  kept,     ///< All of it was here already.
  damaged,  ///< What has come is not what was sent: what there was before stays.
};

/// Where a file of a node goes. Throws Error where that takes nothing more, such as on a full disk.
class Arrival {
 public:
  virtual ~Arrival() = default;

  /// What is here already.
  virtual Known known() = 0;

  /// Bytes at `offset`: the first ones come behind what is known, or at 0, which begins it anew; others
  /// follow them.
  virtual void take(std::uint64_t offset, std::string_view bytes) = 0;

  /// There is no more of it.
  virtual Arrived finish(const protocol::Fetched& fetched) = 0;
};

}  // namespace adarun::launcher
