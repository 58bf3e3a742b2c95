// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer::testing_data {

/// What a rank throws when it is to end.
struct Death : std::exception {};

/// What is told of the calls of one rank.
struct CommunicatorObserver {
  std::function<void()> before = [] {};  ///< Each call. If it throws, there is no call.
  /// After exchange(), exchange_all() and all_gather(): the bytes from each peer.
  std::function<void(std::size_t bytes)> received = [](std::size_t /*bytes*/) {};
};

/// A communicator whose calls, and those of what is split from it, are observed.
class ObservedCommunicator : public adasum::Communicator {
 public:
  /// `communicator` must outlive it.
  ObservedCommunicator(adasum::Communicator& communicator, CommunicatorObserver observer)
      : communicator_(communicator), observer_(std::move(observer)) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    observed().exchange(peer, out, in);
    observer_.received(in.size());
  }
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    observed().exchange_all(out, in);
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank()) observer_.received(in[static_cast<std::size_t>(peer)].size());
    }
  }
  void send(int peer, std::span<const std::byte> out) override { observed().send(peer, out); }
  void receive(int peer, std::span<std::byte> in) override { observed().receive(peer, in); }
  void broadcast(std::span<std::byte> data, int root) override { observed().broadcast(data, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    observed().all_gather(mine, all);
    for (int peer = 1; peer < size(); ++peer) observer_.received(mine.size());
  }
  void sum(std::span<double> values) override { observed().sum(values); }
  void sum(std::span<float> values) override { observed().sum(values); }
  std::unique_ptr<adasum::Communicator> split(int color) override { return part(observed().split(color)); }
  std::unique_ptr<adasum::Communicator> split_by_node() override { return part(observed().split_by_node()); }

 private:
  adasum::Communicator& observed() const {
    observer_.before();
    return communicator_;
  }

  std::unique_ptr<adasum::Communicator> part(std::unique_ptr<adasum::Communicator> of) const {
    auto observed = std::make_unique<ObservedCommunicator>(*of, observer_);
    observed->own_ = std::move(of);
    return observed;
  }

  std::unique_ptr<adasum::Communicator> own_;
  adasum::Communicator& communicator_;
  CommunicatorObserver observer_;
};

}  // namespace adarun::trainer::testing_data
