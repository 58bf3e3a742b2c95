// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "launcher/protocol/messages.h"

namespace adarun::launcher::protocol {

/// The whole Start of one node: `start` merged with `spec`, which holds what all nodes have in common. A node
/// map, secret, program, numbers of programs or folder in `start` takes precedence; files and environment are
/// concatenated, the common ones last.
Start complete(Start start, const JobSpec& spec);

/// The same for one rank.
RankSpec complete(RankSpec part, const JobSpec& spec);

}  // namespace adarun::launcher::protocol
