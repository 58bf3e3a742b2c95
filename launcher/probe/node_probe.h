// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "launcher/protocol/query.h"

namespace adarun::launcher {

/// What is to be found out about one node: questions that follow from the answers so far. Whatever it throws
/// ends it; the message, one line without the node's name, is why the node failed.
class NodeProbe {
 public:
  virtual ~NodeProbe() = default;

  /// The questions to ask now, all at once; their ids are the asker's. None: the probe is over. Called
  /// first, and each time that all of them are answered.
  virtual std::vector<protocol::Query> next() = 0;

  /// The answer to one of them.
  virtual void take(const protocol::Query& query, const protocol::Answer& answer) = 0;
};

}  // namespace adarun::launcher
