// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "adasum/communicators/communicator.h"

namespace adasum {

/// Messages of exchange(), exchange_all() and all_gather() that are not empty.
struct Received {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

/// What one rank has sent and received. Exchanges whose sizes are not `scalar_bytes` carry data.
struct Traffic {
  std::size_t scalar_bytes = 0;
  std::size_t data_messages = 0;
  std::size_t data_bytes = 0;
  std::size_t scalar_messages = 0;
  std::size_t sums = 0;         ///< Calls of sum.
  std::size_t summed = 0;       ///< Numbers in them.
  std::size_t all_gathers = 0;  ///< Calls of all_gather.
  Received received = {};
};

/// A communicator that counts, as do those split from it. Borrows both arguments, or owns the first.
class CountingCommunicator : public Communicator {
 public:
  CountingCommunicator(Communicator& communicator, Traffic& traffic)
      : communicator_(communicator), traffic_(traffic) {}
  CountingCommunicator(std::unique_ptr<Communicator> own, Traffic& traffic)
      : own_(std::move(own)), communicator_(*own_), traffic_(traffic) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    count(out.size());
    count_received(in.size());
    communicator_.exchange(peer, out, in);
  }
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank()) continue;
      count(out[static_cast<std::size_t>(peer)].size());
      count_received(in[static_cast<std::size_t>(peer)].size());
    }
    communicator_.exchange_all(out, in);
  }
  void send(int peer, std::span<const std::byte> out) override {
    count(out.size());
    communicator_.send(peer, out);
  }
  void receive(int peer, std::span<std::byte> in) override { communicator_.receive(peer, in); }
  void broadcast(std::span<std::byte> data, int root) override { communicator_.broadcast(data, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    ++traffic_.all_gathers;
    for (int peer = 1; peer < size(); ++peer) count_received(mine.size());
    communicator_.all_gather(mine, all);
  }
  void sum(std::span<double> values) override {
    ++traffic_.sums;
    traffic_.summed += values.size();
    communicator_.sum(values);
  }
  void sum(std::span<float> values) override { communicator_.sum(values); }
  std::unique_ptr<Communicator> split(int color) override {
    return std::make_unique<CountingCommunicator>(communicator_.split(color), traffic_);
  }
  std::unique_ptr<Communicator> split_by_node() override {
    return std::make_unique<CountingCommunicator>(communicator_.split_by_node(), traffic_);
  }

 private:
  void count(std::size_t bytes) {
    if (bytes == traffic_.scalar_bytes) {
      ++traffic_.scalar_messages;
    } else {
      ++traffic_.data_messages;
      traffic_.data_bytes += bytes;
    }
  }

  void count_received(std::size_t bytes) {
    if (bytes == 0) return;
    ++traffic_.received.messages;
    traffic_.received.bytes += static_cast<std::int64_t>(bytes);
  }

  std::unique_ptr<Communicator> own_;
  Communicator& communicator_;
  Traffic& traffic_;
};

}  // namespace adasum
