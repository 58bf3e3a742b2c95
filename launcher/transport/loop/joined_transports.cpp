// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/joined_transports.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>
#include <variant>

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
  for (Part& part : parts_)
    for (TransportEvent& event : part.transport->take()) {
      event.node += part.first;
      if (std::holds_alternative<LinkLost>(event.what)) part.lost.insert(event.node);
      events.push_back(std::move(event));
    }
  release_lost();
  return events;
}

// Their links were closed when they were lost, so that there is nothing to wait for.
void JoinedTransports::release_lost() {
  const auto is_lost = [](const Part& part) { return part.lost.size() == part.nodes; };
  if (std::none_of(parts_.begin(), parts_.end(), is_lost)) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(parts_, is_lost);
}

}  // namespace adarun::launcher
