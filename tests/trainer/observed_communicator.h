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

/// A communicator, and those split from it, that call a function before each call. If that throws, there is
/// no call.
class ObservedCommunicator : public adasum::Communicator {
 public:
  /// `communicator` must outlive it.
  ObservedCommunicator(adasum::Communicator& communicator, std::function<void()> before)
      : communicator_(communicator), before_(std::move(before)) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    observed().exchange(peer, out, in);
  }
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    observed().exchange_all(out, in);
  }
  void send(int peer, std::span<const std::byte> out) override { observed().send(peer, out); }
  void receive(int peer, std::span<std::byte> in) override { observed().receive(peer, in); }
  void broadcast(std::span<std::byte> data, int root) override { observed().broadcast(data, root); }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    observed().all_gather(mine, all);
  }
  void sum(std::span<double> values) override { observed().sum(values); }
  void sum(std::span<float> values) override { observed().sum(values); }
  std::unique_ptr<adasum::Communicator> split(int color) override { return part(observed().split(color)); }
  std::unique_ptr<adasum::Communicator> split_by_node() override { return part(observed().split_by_node()); }

 private:
  adasum::Communicator& observed() const {
    before_();
    return communicator_;
  }

  std::unique_ptr<adasum::Communicator> part(std::unique_ptr<adasum::Communicator> of) const {
    auto observed = std::make_unique<ObservedCommunicator>(*of, before_);
    observed->own_ = std::move(of);
    return observed;
  }

  std::unique_ptr<adasum::Communicator> own_;
  adasum::Communicator& communicator_;
  std::function<void()> before_;
};

}  // namespace adarun::trainer::testing_data
