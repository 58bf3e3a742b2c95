// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// What one rank has received.
struct Received {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;

  bool operator==(const Received&) const = default;
};

/// A communicator that counts what this rank receives by exchange(), exchange_all() and all_gather(), in it
/// and in what is split from it. The other functions are not counted.
class CountingCommunicator : public adasum::Communicator {
 public:
  explicit CountingCommunicator(adasum::Communicator& counted)
      : counted_(counted), received_(std::make_shared<Received>()) {}

  const Received& received() const { return *received_; }

  int rank() const override { return counted_.rank(); }
  int size() const override { return counted_.size(); }
  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    counted_.exchange(peer, out, in);
    count(in.size());
  }
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    counted_.exchange_all(out, in);
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank()) count(in[static_cast<std::size_t>(peer)].size());
    }
  }
  void send(int peer, std::span<const std::byte> out) override { counted_.send(peer, out); }
  void receive(int peer, std::span<std::byte> in) override { counted_.receive(peer, in); }
  void broadcast(std::span<std::byte> data, int root) override { counted_.broadcast(data, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    counted_.all_gather(mine, all);
    for (int peer = 1; peer < size(); ++peer) count(mine.size());
  }
  void sum(std::span<double> values) override { counted_.sum(values); }
  void sum(std::span<float> values) override { counted_.sum(values); }
  std::unique_ptr<adasum::Communicator> split(int color) override { return counting(counted_.split(color)); }
  std::unique_ptr<adasum::Communicator> split_by_node() override {
    return counting(counted_.split_by_node());
  }

 private:
  CountingCommunicator(std::unique_ptr<adasum::Communicator> own, std::shared_ptr<Received> received)
      : own_(std::move(own)), counted_(*own_), received_(std::move(received)) {}

  void count(std::size_t bytes) {
    if (bytes == 0) return;
    ++received_->messages;
    received_->bytes += static_cast<std::int64_t>(bytes);
  }

  std::unique_ptr<adasum::Communicator> counting(std::unique_ptr<adasum::Communicator> part) const {
    return std::unique_ptr<adasum::Communicator>(new CountingCommunicator(std::move(part), received_));
  }

  std::unique_ptr<adasum::Communicator> own_;
  adasum::Communicator& counted_;
  std::shared_ptr<Received> received_;
};

}  // namespace adarun::trainer
