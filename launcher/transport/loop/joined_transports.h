// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/file_descriptor.h"
#include "launcher/transport/loop/transport.h"

namespace adarun::launcher {

/// Several transports as one, to which further ones can be added: their nodes follow those before. One whose
/// nodes are all lost is released, with its thread and descriptors; the numbers of its nodes stay taken.
class JoinedTransports : public Transport {
 public:
  /// Throws Error if the kernel gives no descriptor.
  JoinedTransports();

  /// Adds a transport to `nodes` nodes; returns the number of the first one.
  std::uint32_t add(std::unique_ptr<Transport> transport, std::size_t nodes);

  using Transport::send;
  void send(const std::vector<std::uint32_t>& nodes, const protocol::Message& message) override;
  void stop_all() override;
  void take_silence(Silence silence) override;
  int ready_fd() const override { return ready_.get(); }
  std::vector<TransportEvent> take() override;

 private:
  struct Part {
    std::unique_ptr<Transport> transport;
    std::uint32_t first;  ///< The number of its node 0.
    std::size_t nodes;
    std::set<std::uint32_t> lost = {};
  };

  void release_lost();

  base::FileDescriptor ready_;  ///< An epoll descriptor: readable while one of the parts is.
  std::vector<Part> parts_;
  std::mutex mutex_;  ///< Of `parts_` while it changes, and for other threads.
  std::uint32_t count_ = 0;
  Silence silence_ = Silence::counts;
};

}  // namespace adarun::launcher
