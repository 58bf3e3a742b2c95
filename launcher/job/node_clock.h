// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A moment by the launcher's clock.
struct Moment {
  std::int64_t ns = 0;        ///< Since the Unix epoch.
  std::int64_t bound_ns = 0;  ///< How far it may be off, either way.

  bool operator==(const Moment&) const = default;
};

/// What is known of how a node's clock stands to the launcher's. A reading leaves the difference open by half
/// its round trip; two clocks drift apart by at most 100 millionths while it grows old. The reading that says
/// most at the time is kept, and one that contradicts it (a clock was set) replaces it.
class NodeClock {
 public:
  void read(const ClockReading& reading);

  /// When it was, by the launcher's clock, that the node's said `node_ns`; nothing before the first reading.
  std::optional<Moment> here(std::int64_t node_ns) const;

 private:
  struct Offset {
    std::int64_t ns = 0;        ///< Node's clock less ours,
    std::int64_t bound_ns = 0;  ///< give or take so much,
    std::int64_t at_ns = 0;     ///< when our clock said so.

    std::int64_t bound_at(std::int64_t ns_here) const;
  };

  std::optional<Offset> best_;
};

}  // namespace adarun::launcher
