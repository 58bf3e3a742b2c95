// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adasum/communicators/deadline.h"
#include "adasum/sockets/endpoint.h"

namespace adasum::sockets {

/// This process's side of PMI-1, by which the ranks of a job exchange short texts through whoever started
/// them (adarun's agent, MPICH's process manager): lines "cmd=NAME KEY=VALUE ...\n" over a descriptor that
/// the rank inherits, a request and an answer each. Buntinas et al., "PMI: A Scalable Parallel
/// Process-Management Interface for Extreme-Scale Systems", 2010.
///
/// adarun's agent can also tell which ranks of the job continue when others end or come: see stay_on().
///
/// Throws adasum::Error if the other side does not answer within the timeout, is gone, refuses, or says what
/// is not PMI. One thread.
class PmiClient {
 public:
  /// Some ranks of the job, and a number that grows whenever they change.
  struct Members {
    std::uint64_t generation = 0;
    std::vector<int> ranks;  ///< Ascending.
    int root = 0;            ///< The one that has been a member for longest.
    Endpoint at;             ///< Where it listens.
  };

  /// Borrows `descriptor`: the number in PMI_FD. Says "init". `timeout`: of each request to which the other
  /// side has the answer itself.
  PmiClient(int descriptor, std::chrono::milliseconds timeout);

  int descriptor() const { return descriptor_; }

  /// A text without blanks, at most 1024 bytes, for the other ranks.
  void put(std::string_view key, std::string_view value);

  /// Returns when all ranks of the job have called it, for which it waits as long as `timeout`: what they put
  /// before, get() then finds.
  void barrier(std::chrono::milliseconds timeout);

  /// What some rank put; refused if none did.
  std::string get(std::string_view key);

  /// Says that this rank continues without others that end. When all ranks have said so, and whenever some
  /// have ended or come since, the descriptor can be read from: members_after(). Throws if whoever started
  /// the ranks does not know of that.
  void stay_on();

  /// Says where this rank listens, for others to meet it: before stay_on(), or, if it has come later, when it
  /// has what they have.
  void listen_at(const Endpoint& endpoint);

  /// Says that this rank cannot reach another member of `generation`: members of a later one follow.
  void lose_peer(std::uint64_t generation);

  /// Waits until the members are of a later generation than `known`, and returns the latest.
  Members members_after(std::uint64_t known, std::chrono::milliseconds timeout);

  /// Says "finalize": no more calls after it.
  void finalize();

 private:
  using Answer = std::map<std::string, std::string, std::less<>>;

  Answer ask(const std::string& request, std::string_view answer) { return ask(request, answer, timeout_); }
  Answer ask(const std::string& request, std::string_view answer, std::chrono::milliseconds timeout);
  void send(const std::string& request, const Deadline& deadline) const;
  Answer read_answer(const Deadline& deadline);
  std::string read_line(const Deadline& deadline);
  bool has_line() const { return unread_.find('\n') != std::string::npos; }
  void take_members(const Answer& line);
  static const std::string& value(const Answer& answer, std::string_view key);

  int descriptor_;
  std::chrono::milliseconds timeout_;
  std::string unread_;
  Members members_;
  std::string name_;  // of the job's space of keys
};

}  // namespace adasum::sockets
