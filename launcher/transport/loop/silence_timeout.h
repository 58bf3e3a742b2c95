// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace adarun::launcher {

/// A timeout for nodes that send nothing new: an agent that answers pings keeps its link for ever. Only time
/// spent waiting counts, not work done here, nor a stop of this process. Passive.
class SilenceTimeout {
 public:
  using Duration = std::chrono::steady_clock::duration;

  SilenceTimeout(std::size_t nodes, Duration most) : most_(most), left_(nodes) {}

  /// A node has sent something new, or got a request; `more`: time that the request needs beyond the usual.
  void renew(std::uint32_t node, Duration more = Duration::zero()) {
    left_[node] = std::max(left_[node].value_or(Duration::zero()), most_) + more;
  }

  /// Nothing is expected of it.
  void release(std::uint32_t node) { left_[node].reset(); }

  /// Counts time spent waiting, `beat` at most. Returns the nodes whose time is up, each once.
  std::vector<std::uint32_t> wait(Duration waited, Duration beat) {
    std::vector<std::uint32_t> over;
    for (std::uint32_t node = 0; node < left_.size(); ++node) {
      if (!left_[node] || (*left_[node] -= std::min(waited, beat)) > Duration::zero()) continue;
      left_[node].reset();
      over.push_back(node);
    }
    return over;
  }

 private:
  Duration most_;
  std::vector<std::optional<Duration>> left_;  ///< None: nothing is expected.
};

}  // namespace adarun::launcher
