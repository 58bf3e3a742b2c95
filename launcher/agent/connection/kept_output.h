// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/spool_file.h"

namespace adarun::launcher::agent {

/// What an agent of an earlier job could not deliver, message by message.
class KeptOutput {
 public:
  /// Throws protocol::Error where it cannot be read.
  explicit KeptOutput(const protocol::Recall& order);

  /// The next Output or Exited, at last Recalled, and nothing behind that. Throws protocol::Error.
  std::optional<protocol::Message> next();

  /// Whether there is more.
  bool over() const { return over_; }

  /// Removes it from the node.
  void forget() const;

 private:
  std::string path_;
  protocol::KeptStream stream_;
  protocol::FrameReader reader_{protocol::Opening::frame};
  bool over_ = false;
};

}  // namespace adarun::launcher::agent
