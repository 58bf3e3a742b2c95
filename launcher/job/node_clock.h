// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// A time by the launcher's clock.
struct Moment {
  std::int64_t ns = 0;        ///< Since the Unix epoch.
  std::int64_t bound_ns = 0;  ///< Maximum error, either way.

  bool operator==(const Moment&) const = default;
};

/// Estimates the offset of a node's clock from the launcher's. The error of a reading is half its round trip,
/// and grows with age: two clocks are assumed to drift apart by at most 100 ppm. The reading with the
/// smallest error at the time is kept; one that contradicts it (a clock was set) replaces it.
class NodeClock {
 public:
  void read(const ClockReading& reading);

  /// Converts a time of the node's clock to the launcher's; nullopt before the first reading.
  std::optional<Moment> here(std::int64_t node_ns) const;

 private:
  struct Offset {
    std::int64_t ns = 0;        ///< Node's clock minus ours,
    std::int64_t bound_ns = 0;  ///< its error,
    std::int64_t at_ns = 0;     ///< and the time of the reading by our clock.

    std::int64_t bound_at(std::int64_t ns_here) const;
  };

  std::optional<Offset> best_;
};

}  // namespace adarun::launcher
