// SPDX-License-Identifier: Apache-2.0
#include "cli/session/control_server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "base/quiet_thread.h"
#include "base/system_text.h"
#include "base/unix_socket.h"
#include "launcher/job/job_signals.h"

namespace adarun::cli {
namespace {

constexpr std::chrono::seconds answer_time{2};
constexpr int client_timeout_s = 5;
constexpr std::size_t most_request_bytes = 65536;

void limit_waits(int socket) {
  const timeval timeout{client_timeout_s, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
}

using Clock = std::chrono::steady_clock;

// Also gives up where the peer takes a little, again and again.
bool send_line(int socket, const std::string& text) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(client_timeout_s);
  const std::string line = text + "\n";
  std::size_t sent = 0;
  while (sent < line.size()) {
    if (Clock::now() >= deadline) return false;
    const ssize_t size = send(socket, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (size <= 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

// A line without its line end; the incomplete line if the peer closed the connection or timed out.
std::string read_line(int socket, std::size_t most_bytes) {
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(client_timeout_s);
  std::string line;
  std::array<char, 65536> block{};
  while (line.size() < most_bytes && Clock::now() < deadline) {
    const ssize_t size = recv(socket, block.data(), block.size(), 0);
    if (size <= 0) break;
    line.append(block.data(), static_cast<std::size_t>(size));
    if (line.back() == '\n') {
      line.pop_back();
      break;
    }
  }
  return line;
}

}  // namespace

ControlServer::ControlServer(const std::string& socket)
    : path_(socket), listening_(base::listen_at(socket)), closing_(eventfd(0, EFD_CLOEXEC)) {
  if (listening_ && closing_) thread_ = base::start_quiet_thread([this] { serve(); });
}

ControlServer::~ControlServer() {
  if (!thread_.joinable()) return;
  eventfd_write(closing_.get(), 1);
  thread_.join();
  unlink(path_.c_str());
}

void ControlServer::serve() {
  std::array<pollfd, 2> polled{{{listening_.get(), POLLIN, 0}, {closing_.get(), POLLIN, 0}}};
  while (polled[1].revents == 0) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    const base::FileDescriptor client(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) attend(client.get());
  }
}

void ControlServer::attend(int client) {
  limit_waits(client);
  send_line(client, reply_to(read_line(client, most_request_bytes)));
}

// The main thread may be between two runs of a job and not answer; then the last status is used.
std::string ControlServer::reply_to(const std::string& request) {
  if (request == "stop" || request == "stop now") {
    kill(getpid(), launcher::stop_signal());
    if (request == "stop now") kill(getpid(), launcher::stop_signal());
    return "stopping";
  }
  const std::optional<std::string> answer = ask(request);
  if (request != "status") return answer.value_or("{}");
  if (answer) status_ = *answer;
  return status_;
}

std::optional<std::string> ControlServer::ask(const std::string& request) {
  std::unique_lock lock(mutex_);
  asked_ = request;
  if (answered_.wait_for(lock, answer_time, [this] { return !asked_; })) return answer_;
  asked_.reset();
  return std::nullopt;
}

void ControlServer::answer_questions(const std::function<std::string(const std::string& request)>& answer) {
  const std::lock_guard lock(mutex_);
  if (!asked_) return;
  answer_ = answer(*asked_);
  asked_.reset();
  answered_.notify_all();
}

std::string ask_control_server(const std::string& socket, const std::string& request) {
  constexpr std::size_t most_reply_bytes = 256U << 20U;
  const base::FileDescriptor control_server = base::connect_to(socket);
  if (!control_server)
    throw std::runtime_error("its supervisor cannot be reached: " + base::system_text(errno));
  limit_waits(control_server.get());
  const bool sent = send_line(control_server.get(), request);
  std::string reply = sent ? read_line(control_server.get(), most_reply_bytes) : "";
  if (reply.empty())
    throw std::runtime_error("its supervisor does not answer within " + std::to_string(client_timeout_s) +
                             " s");
  return reply;
}

}  // namespace adarun::cli
