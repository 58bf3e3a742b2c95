// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "adasum/communicators/communicator.h"

namespace adarun::trainer {

/// What a rank throws when it is to end.
struct Death : std::exception {};

/// A communicator whose rank ends at its n-th call, counted together with those split from it.
class DyingCommunicator : public adasum::Communicator {
 public:
  /// `communicator` must outlive it. `calls`: 0: it does not end.
  DyingCommunicator(adasum::Communicator& communicator, int calls)
      : communicator_(communicator), left_(std::make_shared<int>(calls)) {}

  int rank() const override { return communicator_.rank(); }
  int size() const override { return communicator_.size(); }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    count();
    communicator_.exchange(peer, out, in);
  }
  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    count();
    communicator_.exchange_all(out, in);
  }
  void send(int peer, std::span<const std::byte> out) override {
    count();
    communicator_.send(peer, out);
  }
  void receive(int peer, std::span<std::byte> in) override {
    count();
    communicator_.receive(peer, in);
  }
  void broadcast(std::span<std::byte> data, int root) override {
    count();
    communicator_.broadcast(data, root);
  }
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    count();
    communicator_.all_gather(mine, all);
  }
  void sum(std::span<double> values) override {
    count();
    communicator_.sum(values);
  }
  void sum(std::span<float> values) override {
    count();
    communicator_.sum(values);
  }
  std::unique_ptr<adasum::Communicator> split(int color) override {
    count();
    return std::unique_ptr<DyingCommunicator>(new DyingCommunicator(communicator_.split(color), left_));
  }
  std::unique_ptr<adasum::Communicator> split_by_node() override {
    count();
    return std::unique_ptr<DyingCommunicator>(new DyingCommunicator(communicator_.split_by_node(), left_));
  }

 private:
  DyingCommunicator(std::unique_ptr<adasum::Communicator> own, std::shared_ptr<int> left)
      : own_(std::move(own)), communicator_(*own_), left_(std::move(left)) {}

  void count() const {
    if (*left_ > 0 && --*left_ == 0) throw Death();
  }

  std::unique_ptr<adasum::Communicator> own_;
  adasum::Communicator& communicator_;
  std::shared_ptr<int> left_;
};

}  // namespace adarun::trainer
