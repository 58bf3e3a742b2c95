// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/spool.h"

namespace adarun::launcher::agent {

/// Reads, message by message, the output that the agent of an earlier job could not deliver.
class KeptOutput {
 public:
  /// Throws protocol::Error if the spool file cannot be read.
  explicit KeptOutput(const protocol::Recall& order);

  /// The next Output or Exited, then one Recalled, then nothing. Throws protocol::Error.
  std::optional<protocol::Message> next();

  /// Whether Recalled was returned.
  bool over() const { return over_; }

  /// Removes the spool file from the node.
  void forget() const;

 private:
  std::string path_;
  protocol::KeptStream stream_;
  protocol::FrameReader reader_{protocol::Opening::frame, protocol::Sender::agent};
  bool over_ = false;
};

}  // namespace adarun::launcher::agent
