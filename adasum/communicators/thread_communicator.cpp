// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/thread_communicator.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "adasum/communicators/fiber.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

/// Sender and receiver in one world of threads. Splitting a world makes a new world.
struct Route {
  int world = 0;
  int from = 0;
  int to = 0;

  auto operator<=>(const Route&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

std::string text_of(const Route& route) {
  return "rank " + std::to_string(route.to) + " waiting for rank " + std::to_string(route.from);
}

/// Messages between threads: in order on each route, copied when posted. May be called from any thread.
class Mailboxes {
 public:
  explicit Mailboxes(std::chrono::milliseconds deadline) : deadline_(deadline) {}

  /// Stores a copy of `message`; does not wait for the receiver.
  void post(const Route& route, std::span<const std::byte> message) {
    std::vector<std::byte> copy(message.begin(), message.end());
    const std::lock_guard lock(mutex_);
    Box& box = boxes_[route];
    box.messages.push(std::move(copy));
    box.arrived.notify_one();
  }

  /// Waits for the next message and copies it to `message`. Throws adasum::Error after the deadline, after
  /// fail(), or if the lengths differ.
  void take(const Route& route, std::span<std::byte> message) {
    const auto found = next(route);
    if (found.size() != message.size()) {
      throw Error(text_of(route) + ": got " + std::to_string(found.size()) + " bytes, wanted " +
                  std::to_string(message.size()));
    }
    std::copy(found.begin(), found.end(), message.begin());
  }

  /// From now on, every take() that would wait throws adasum::Error.
  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    for (auto& [route, box] : boxes_) box.arrived.notify_all();
  }

  /// Returns a number for a new world.
  int new_world() {
    const std::lock_guard lock(mutex_);
    return worlds_++;
  }

 private:
  struct Box {
    std::queue<std::vector<std::byte>> messages;
    std::condition_variable arrived;
  };

  std::vector<std::byte> next(const Route& route) {
    std::unique_lock lock(mutex_);
    Box& box = boxes_[route];
    const auto is_over = [&] { return !box.messages.empty() || failed_; };
    for (bool pauses = true; pauses && !is_over();) {
      lock.unlock();
      pauses = Fiber::pause();
      lock.lock();
    }
    box.arrived.wait_for(lock, deadline_, is_over);
    if (box.messages.empty()) {
      throw Error(
          text_of(route) + ": " +
          (failed_ ? "another rank failed" : "nothing came in " + std::to_string(deadline_.count()) + " ms"));
    }
    auto message = std::move(box.messages.front());
    box.messages.pop();
    return message;
  }

  const std::chrono::milliseconds deadline_;
  std::mutex mutex_;  // guards all below
  std::map<Route, Box> boxes_;
  bool failed_ = false;
  int worlds_ = 1;
};

// A rank of one world. Ranks with the same `node` are treated as ranks of one machine.
struct ThreadRank {
  int world = 0;
  int rank = 0;
  int size = 1;
  int node = 0;
};

class ThreadCommunicator : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Mailboxes> boxes, ThreadRank member)
      : boxes_(std::move(boxes)), member_(member) {}

  int rank() const override { return member_.rank; }
  int size() const override { return member_.size; }

  void exchange(int peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    send(peer, out);
    receive(peer, in);
  }

  void exchange_all(std::span<const std::span<const std::byte>> out,
                    std::span<const std::span<std::byte>> in) override {
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank()) send(peer, out[static_cast<std::size_t>(peer)]);
    }
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != rank()) receive(peer, in[static_cast<std::size_t>(peer)]);
    }
  }

  void send(int peer, std::span<const std::byte> out) override {
    boxes_->post({member_.world, rank(), checked(peer)}, out);
  }

  void receive(int peer, std::span<std::byte> in) override {
    boxes_->take({member_.world, checked(peer), rank()}, in);
  }

  void broadcast(std::span<std::byte> data, int root) override {
    if (checked(root) != rank()) return receive(root, data);
    for (int peer = 0; peer < size(); ++peer) {
      if (peer != root) send(peer, data);
    }
  }

  void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    require_room(mine, all, size());
    for (int peer = 0; peer < size(); ++peer) send(peer, mine);
    for (int peer = 0; peer < size(); ++peer) {
      receive(peer, all.subspan(static_cast<std::size_t>(peer) * mine.size(), mine.size()));
    }
  }

  void sum(std::span<double> values) override { sum_of(values); }
  void sum(std::span<float> values) override { sum_of(values); }

  std::unique_ptr<Communicator> split(int color) override {
    const std::vector<int> colors = gather(*this, color);
    std::vector<int> members;
    for (int peer = 0; peer < size(); ++peer) {
      if (colors[static_cast<std::size_t>(peer)] == color) members.push_back(peer);
    }
    const auto place = std::find(members.begin(), members.end(), rank()) - members.begin();
    int world = 0;
    if (place == 0) {
      world = boxes_->new_world();
      for (const int peer : members) send(peer, std::as_bytes(std::span(&world, 1)));
    }
    receive(members.front(), std::as_writable_bytes(std::span(&world, 1)));
    return std::make_unique<ThreadCommunicator>(
        boxes_, ThreadRank{world, static_cast<int>(place), static_cast<int>(members.size()), member_.node});
  }

  std::unique_ptr<Communicator> split_by_node() override { return split(member_.node); }

 private:
  int checked(int peer) const {
    if (peer < 0 || peer >= size()) {
      throw Error("rank " + std::to_string(peer) + ": not in a world of " + std::to_string(size()) +
                  " ranks");
    }
    return peer;
  }

  // Rank 0 adds in rank order, so every run gives the same bits.
  template <typename T>
  void sum_of(std::span<T> values) {
    if (rank() == 0) {
      std::vector<T> theirs(values.size());
      for (int peer = 1; peer < size(); ++peer) {
        receive(peer, std::as_writable_bytes(std::span(theirs)));
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += theirs[i];
      }
    } else {
      send(0, std::as_bytes(values));
    }
    broadcast(std::as_writable_bytes(values), 0);
  }

  std::shared_ptr<Mailboxes> boxes_;
  ThreadRank member_;
};

}  // namespace

void run_ranks(int size, const std::function<void(Communicator&)>& body, const ThreadWorld& options) {
  const auto boxes = std::make_shared<Mailboxes>(options.deadline);
  const int ranks_per_node = options.ranks_per_node == 0 ? size : options.ranks_per_node;
  std::mutex mutex;
  std::exception_ptr first;
  const auto run = [&](int rank) {
    try {
      ThreadCommunicator communicator(boxes, {0, rank, size, rank / ranks_per_node});
      body(communicator);
    } catch (...) {
      {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
      boxes->fail();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) threads.emplace_back(run, rank);
  for (auto& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace adasum
