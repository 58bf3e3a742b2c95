// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "launcher/protocol/query.h"

namespace adarun::launcher {

/// Queries one node; which questions come next depends on the answers so far. An exception that it throws
/// ends it; the message, one line without the node's name, says why the node failed.
class NodeProbe {
 public:
  virtual ~NodeProbe() = default;

  /// The questions to send now, all at once; the caller sets their ids. Empty: the probe is done, unless it
  /// waits. Called at the start, and whenever all questions have been answered.
  virtual std::vector<protocol::Query> next() = 0;

  /// Whether the last `next` was empty because other nodes have to answer first. It is called again when
  /// turn() is another number, which is the same for all probes of a session.
  virtual bool waits() const { return false; }
  virtual std::size_t turn() const { return 0; }

  /// Takes the answer to one of them.
  virtual void take(const protocol::Query& query, const protocol::Answer& answer) = 0;

  /// The node has failed; the functions above are no longer called.
  virtual void lose() {}
};

}  // namespace adarun::launcher
