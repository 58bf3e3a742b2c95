// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// One try to get a connected socket to an sshd, straight or through another host. Nothing here blocks.
class Dial {
 public:
  virtual ~Dial() = default;

  /// True once connected. Throws Error when that cannot be, with a reason of one line.
  virtual bool advance() = 0;

  /// What to poll; the descriptor is -1 where there is none yet.
  virtual int fd() const = 0;
  virtual short wanted() const = 0;

  /// Hands the connected socket over. The dial stays: what it knows may still be asked.
  virtual base::FileDescriptor take() = 0;

  /// What it waits for, or why what it gave is broken, where it knows more than the socket; else empty.
  virtual std::string status_text() const = 0;
};

using MakeDial = std::function<std::unique_ptr<Dial>()>;

}  // namespace adarun::launcher
