// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "adasum/communicators/communicator.h"
#include "adasum/types/error.h"

namespace adarun::trainer {

/// A world of one rank, for a trainer that runs alone and without MPI.
class OneRank : public adasum::Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }

  void exchange(int, std::span<const std::byte>, std::span<std::byte>) override { nobody(); }
  void exchange_all(std::span<const std::span<const std::byte>>,
                    std::span<const std::span<std::byte>>) override {}
  void send(int, std::span<const std::byte>) override { nobody(); }
  void receive(int, std::span<std::byte>) override { nobody(); }

  void broadcast(std::span<std::byte>, int) override {}
  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::ranges::copy(mine, all.begin());
  }
  void sum(std::span<double>) override {}
  void sum(std::span<float>) override {}
  std::unique_ptr<Communicator> split(int) override { return std::make_unique<OneRank>(); }
  std::unique_ptr<Communicator> split_by_node() override { return std::make_unique<OneRank>(); }

 private:
  [[noreturn]] static void nobody() { throw adasum::Error("a world of one rank has no peer"); }
};

}  // namespace adarun::trainer
