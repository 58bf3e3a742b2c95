// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "adasum/sockets/environment.h"
#include "adasum/types/descriptor.h"

namespace adasum::sockets {

/// What serves PMI to the ranks of a test, each a thread: as much of it as adarun's agent that a world needs.
/// When first all ranks stay on, it tells them so, as generation 1.
class PmiServer {
 public:
  explicit PmiServer(int ranks);
  ~PmiServer();
  PmiServer(const PmiServer&) = delete;
  PmiServer& operator=(const PmiServer&) = delete;

  /// The environment of a rank.
  ReadVariable environment_of(int rank);

  /// Tells the ranks that stay on which are the members, such as "0-1,3", and who is to be their root.
  void tell(std::uint64_t generation, const std::string& members, std::size_t root = 0);

  /// Ends the conversation with a rank, as if its process had ended.
  void end(std::size_t rank);

  /// A rank that has ended is started again: environment_of() is then that of the new one.
  void start_again(std::size_t rank);

  /// Waits until a rank has said that it stays on; returns whether it has.
  bool await_staying(std::size_t rank, std::chrono::milliseconds timeout);

  /// Ends the conversation with all ranks.
  void hang_up();

  /// Waits until a rank has said that it has lost another member of this generation, or a later one; returns
  /// whether one has.
  bool await_lost_peer(std::uint64_t generation, std::chrono::milliseconds timeout);

 private:
  struct Client {
    Descriptor server;
    Descriptor rank;
    std::string unread;
    bool in_barrier = false;
    bool again = false;
  };

  void serve();
  void tell_all(std::uint64_t generation, const std::string& members, std::size_t root);
  void obey(std::size_t rank, const std::string& line);
  void answer(std::size_t rank, const std::string& line);

  std::vector<Client> clients_;
  std::map<std::string, std::string> values_;
  std::set<std::size_t> staying_;
  bool all_stayed_ = false;                       // at some time
  std::map<std::size_t, std::string> endpoints_;  // where ranks listen
  std::uint64_t lost_generation_ = 0;             // the latest in which a rank has lost another
  std::mutex mutex_;
  std::condition_variable changed_;
  Descriptor stop_;
  Descriptor stopping_;
  std::thread thread_;
};

}  // namespace adasum::sockets
