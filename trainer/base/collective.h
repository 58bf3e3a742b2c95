// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "adasum/communicators/communicator.h"
#include "adasum/types/error.h"

namespace adarun::trainer {

/// Returns once every rank has called it. Collective.
void wait_for_all(adasum::Communicator& communicator);

/// Returns the `text` of rank `rank` on every rank. Collective.
std::string text_of_rank(int rank, const std::string& text, adasum::Communicator& communicator);

/// Returns the `text` of rank 0 on every rank. Collective.
std::string text_of_first_rank(const std::string& text, adasum::Communicator& communicator);

/// Returns, on every rank, the text of the lowest rank whose `text` is not empty; empty if there is none.
/// Collective.
std::string first_text(const std::string& text, adasum::Communicator& communicator);

/// Puts `mine` of every rank, in rank order, into `all` of rank 0; `all` of the others is not used. As many
/// values on each rank. Collective.
void gather_to_first(std::span<const float> mine, std::span<float> all, adasum::Communicator& communicator);

/// The other way: `mine` becomes each rank's part of `all` of rank 0. Collective.
void scatter_from_first(std::span<const float> all, std::span<float> mine,
                        adasum::Communicator& communicator);

/// A world of one rank, for a trainer that runs alone and without MPI.
class SingleProcessCommunicator : public adasum::Communicator {
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
  std::unique_ptr<Communicator> split(int) override { return std::make_unique<SingleProcessCommunicator>(); }
  std::unique_ptr<Communicator> split_by_node() override {
    return std::make_unique<SingleProcessCommunicator>();
  }

 private:
  [[noreturn]] static void nobody() { throw adasum::Error("a world of one rank has no peer"); }
};

}  // namespace adarun::trainer
