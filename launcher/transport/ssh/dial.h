// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// One attempt to get a connected socket to an sshd, directly or through another host. Nothing here blocks.
class Dial {
 public:
  virtual ~Dial() = default;

  /// True once connected. Throws Error if that fails, with a reason of one line.
  virtual bool advance() = 0;

  /// What to poll; the descriptor is -1 if there is none yet.
  virtual int fd() const = 0;
  virtual short wanted() const = 0;

  /// Hands the connected socket over. status_text() may still be called.
  virtual base::FileDescriptor take() = 0;

  /// What it waits for, or why the socket it handed over is broken, if it knows more than the socket; else
  /// empty.
  virtual std::string status_text() const = 0;
};

using MakeDial = std::function<std::unique_ptr<Dial>()>;

}  // namespace adarun::launcher
