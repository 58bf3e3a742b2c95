// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "launcher/wire/frame.h"
#include "launcher/wire/messages.h"
#include "launcher/wire/spool_file.h"

namespace adarun::agent {

/// What an agent of an earlier job could not deliver, message by message.
class Recalling {
 public:
  /// Throws wire::Error where it cannot be read.
  explicit Recalling(const wire::Recall& order);

  /// The next Output or Exited, at last Recalled, and nothing behind that. Throws wire::Error.
  std::optional<wire::Message> next();

  /// Whether there is more.
  bool over() const { return over_; }

  /// Removes it from the node.
  void forget() const;

 private:
  std::string path_;
  wire::KeptStream stream_;
  wire::FrameReader reader_{wire::Opening::frame};
  bool over_ = false;
};

}  // namespace adarun::agent
