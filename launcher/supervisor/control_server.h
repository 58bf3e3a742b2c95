// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"

namespace adarun::launcher {

/// Socket on which other processes of the user query a job or stop it. A thread of its own serves them all at
/// once: of each one line of request, one line of reply. Where there are many, those that say nothing make
/// room for others. "stop" and "stop now" send this process stop_signal() once or twice, which acts like one
/// or two Ctrl-C. Other requests are answered by answer_questions().
class ControlServer {
 public:
  /// If the socket cannot be created, there is no server, and the job continues without it.
  explicit ControlServer(const std::string& socket);

  /// Waits for nobody: who has asked gets the last status.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Call often: requests that wait for their answer get that of `answer`, which may take its time: "stop" is
  /// answered meanwhile.
  void answer_questions(const std::function<std::string(const std::string& request)>& answer);

 private:
  /// A request, and its answer once there is one.
  struct Question {
    std::uint64_t client;
    std::string request;
    std::optional<std::string> answer;
  };
  class Client;
  using Clients = std::map<std::uint64_t, Client>;  ///< The oldest one first.

  void serve();
  static std::optional<std::uint64_t> slowest(const Clients& clients);
  void make_room(Clients& clients);
  void accept(Clients& clients);
  void attend(Clients& clients, bool is_closing);
  void take_request(std::uint64_t number, Client& client);
  void give_answers(Clients& clients, bool is_closing);
  std::string without_answer(const std::string& request) const;

  std::string path_;
  base::FileDescriptor listening_;
  base::FileDescriptor closing_;
  base::FileDescriptor answered_;
  std::mutex mutex_;
  std::vector<Question> questions_;  ///< Guarded by mutex_.
  std::string status_ = "{}";        ///< The last one; the thread's.
  std::uint64_t next_client_ = 0;    ///< Likewise.
  std::thread thread_;
};

/// A process has taken a request and does not answer: it hangs.
class NoAnswer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Sends a request to the control server of another process and returns its reply line. Throws NoAnswer if
/// there is none within a few seconds, and another std::runtime_error if there is no server or it ends
/// meanwhile. Both have a one-line message.
std::string ask_control_server(const std::string& socket, const std::string& request);

}  // namespace adarun::launcher
