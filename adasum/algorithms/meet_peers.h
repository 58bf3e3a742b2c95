// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasum/peers.h"

namespace adasum::algorithms {

/// Calls visit(peer) for every other rank. In round s those whose ranks add up to s (mod size) meet, so each
/// round is a perfect matching for any size, and nobody waits for a rank that waits for another.
template <typename Visit>
void meet_peers(const Peers& peers, const Visit& visit) {
  for (int round = 0; round < peers.size(); ++round) {
    const int peer = (round - peers.rank() + peers.size()) % peers.size();
    if (peer != peers.rank()) visit(peer);
  }
}

}  // namespace adasum::algorithms
