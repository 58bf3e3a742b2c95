// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/file_descriptor.h"

namespace adarun::cli {

/// Where other processes of the user ask about a job and tell it to stop: a socket that a thread of its own
/// answers at, one line in, one line out. "status" gives what answer_questions() was given last; "stop" and
/// "stop now" send this process the signals that Ctrl-C would.
class ControlServer {
 public:
  /// Where the socket cannot be made, nobody can ask: the job goes on.
  explicit ControlServer(const std::string& socket);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  /// To be called often: answers who has asked for the status, by what `status_json` gives.
  void answer_questions(const std::function<std::string()>& status_json);

 private:
  void serve();
  void attend(int client);
  std::string reply_to(const std::string& request);
  std::string status();

  std::string path_;
  base::FileDescriptor listening_;
  base::FileDescriptor closing_;
  std::mutex mutex_;
  std::condition_variable answered_;
  bool asked_ = false;
  std::string answer_ = "{}";
  std::thread thread_;
};

/// Asks the control server of another process: its line. Throws std::runtime_error in one line where
/// nobody answers in a few seconds.
std::string ask_control_server(const std::string& socket, const std::string& request);

}  // namespace adarun::cli
