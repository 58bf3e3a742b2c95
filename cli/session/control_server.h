// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/file_descriptor.h"

namespace adarun::cli {

/// Socket on which other processes of the user query a job or stop it. A thread of its own serves it: one
/// line of request, one line of reply. "stop" and "stop now" send this process stop_signal() once or twice,
/// which acts like one or two Ctrl-C. Other requests are answered by answer_questions().
class ControlServer {
 public:
  /// If the socket cannot be created, there is no server, and the job continues without it.
  explicit ControlServer(const std::string& socket);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// Call often: a request that waits for its answer gets that of `answer`.
  void answer_questions(const std::function<std::string(const std::string& request)>& answer);

 private:
  void serve();
  void attend(int client);
  std::string reply_to(const std::string& request);
  std::optional<std::string> ask(const std::string& request);

  std::string path_;
  base::FileDescriptor listening_;
  base::FileDescriptor closing_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::optional<std::string> asked_;
  std::string answer_;
  std::string status_ = "{}";  ///< The last one.
  std::thread thread_;
};

/// Sends a request to the control server of another process and returns its reply line. Throws
/// std::runtime_error with a one-line message if there is no answer within a few seconds.
std::string ask_control_server(const std::string& socket, const std::string& request);

}  // namespace adarun::cli
