// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/channel.h"

#include <unistd.h>

#include <array>
#include <cerrno>

#include "launcher/agent/pipe.h"
#include "launcher/posix/file_descriptor.h"

namespace adarun::agent {

Channel::Channel(posix::FileDescriptor in, posix::FileDescriptor out)
    : in_(std::move(in)), out_(std::move(out)) {
  set_nonblocking(in_.get());
  set_nonblocking(out_.get());
}

void Channel::send(const wire::Message& message) {
  if (!broken()) waiting_ += wire::encode(message);
}

void Channel::flush() {
  while (!broken() && waiting_bytes() > 0) {
    const ssize_t size = ::write(out_.get(), waiting_.data() + sent_, waiting_bytes());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size < 0) {
      out_.reset();
      waiting_.clear();
      sent_ = 0;
      return;
    }
    sent_ += static_cast<std::size_t>(size);
  }
  if (sent_ * 2 >= waiting_.size()) {
    waiting_.erase(0, sent_);
    sent_ = 0;
  }
}

bool Channel::receive(Clock::time_point now) {
  std::array<char, 64U << 10U> bytes;  // NOLINT: filled by read
  const ssize_t size = ::read(in_.get(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (size <= 0) {
    in_.reset();
    return false;
  }
  heard_ = now;
  reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
  return true;
}

}  // namespace adarun::agent
