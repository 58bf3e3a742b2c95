// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace adarun::agent {

/// A file descriptor that is closed with its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Closes it now.
  void reset();

 private:
  int fd_ = -1;
};

/// Both ends of a pipe, close-on-exec.
struct Pipe {
  Fd read;
  Fd write;
};

/// Throws agent::Error where the system gives none.
Pipe make_pipe();

/// Reads and writes of `fd` return at once from now on. Throws agent::Error.
void set_nonblocking(int fd);

}  // namespace adarun::agent
