// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/protocol/messages.h"

namespace adarun::launcher::protocol {

/// All that one node has to do: `start` with what `spec` has for every node. A map of nodes, a secret, a
/// program and a folder of its own go before the common ones; files and environment come together, the common
/// ones last.
Start complete(Start start, const JobSpec& spec);

/// Likewise, one rank.
RankSpec complete(RankSpec part, const JobSpec& spec);

}  // namespace adarun::launcher::protocol
