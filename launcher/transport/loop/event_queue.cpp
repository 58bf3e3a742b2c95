// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/event_queue.h"

#include <sys/eventfd.h>

#include <utility>

#include "launcher/base/error.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t full_bytes = 8U << 20U;

// The event itself counts too: a rank may write byte by byte.
std::size_t weight(const TransportEvent& event) {
  const auto* message = std::get_if<protocol::Message>(&event.what);
  return sizeof event + (message == nullptr ? 0 : protocol::held_bytes(*message));
}

}  // namespace

EventQueue::EventQueue() : ready_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!ready_) throw Error("cannot make an event descriptor");
}

void EventQueue::push(TransportEvent event, std::uint64_t position) {
  const std::lock_guard lock(mutex_);
  if (position > 0) positions_[event.node].pushed = position;
  bytes_ += weight(event);
  if (events_.empty()) eventfd_write(ready_.get(), 1);
  events_.push_back(std::move(event));
}

std::vector<TransportEvent> EventQueue::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t ignored = 0;
  eventfd_read(ready_.get(), &ignored);
  bytes_ = 0;
  for (auto& [node, position] : positions_) {
    position.done = position.taken;
    position.taken = position.pushed;
  }
  return std::exchange(events_, {});
}

std::uint64_t EventQueue::done_with(std::uint32_t node, std::uint64_t parsed) const {
  const std::lock_guard lock(mutex_);
  const auto found = positions_.find(node);
  if (found == positions_.end()) return parsed;
  return found->second.done == found->second.pushed ? parsed : found->second.done;
}

void EventQueue::finish() {
  const std::lock_guard lock(mutex_);
  for (auto& [node, position] : positions_) position.done = position.taken;
}

bool EventQueue::full() const {
  const std::lock_guard lock(mutex_);
  return bytes_ >= full_bytes;
}

}  // namespace adarun::launcher
