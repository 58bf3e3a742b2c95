// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/joined_transports.h"

#include <sys/epoll.h>

#include <utility>

#include "launcher/base/error.h"

namespace adarun::launcher {

JoinedTransports::JoinedTransports() : ready_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!ready_) throw Error("cannot make an epoll descriptor");
}

std::uint32_t JoinedTransports::add(std::unique_ptr<Transport> transport, std::size_t nodes) {
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (epoll_ctl(ready_.get(), EPOLL_CTL_ADD, transport->ready_fd(), &readable) != 0)
    throw Error("cannot watch a further transport");
  if (silence_ == Silence::excused) transport->take_silence(silence_);
  const std::uint32_t first = std::exchange(count_, count_ + static_cast<std::uint32_t>(nodes));
  const std::lock_guard lock(mutex_);
  parts_.push_back({std::move(transport), first, nodes});
  return first;
}

void JoinedTransports::send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) {
  for (const Part& part : parts_) {
    std::vector<std::uint32_t> there;
    for (const std::uint32_t node : nodes)
      if (node >= part.first && node - part.first < part.nodes) there.push_back(node - part.first);
    if (!there.empty()) part.transport->send(there, message);
  }
}

void JoinedTransports::stop_all() {
  const std::lock_guard lock(mutex_);
  for (const Part& part : parts_) part.transport->stop_all();
}

void JoinedTransports::take_silence(Silence silence) {
  silence_ = silence;
  for (const Part& part : parts_) part.transport->take_silence(silence);
}

std::vector<TransportEvent> JoinedTransports::take() {
  std::vector<TransportEvent> events;
  for (const Part& part : parts_)
    for (TransportEvent& event : part.transport->take()) {
      event.node += part.first;
      events.push_back(std::move(event));
    }
  return events;
}

}  // namespace adarun::launcher
