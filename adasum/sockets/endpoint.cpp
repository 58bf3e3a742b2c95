// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/endpoint.h"

#include <pthread.h>

#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "adasum/types/error.h"

namespace adasum::sockets {

std::string to_text(const Endpoint& endpoint) {
  const bool has_colons = endpoint.host.find(':') != std::string::npos;
  const std::string host = has_colons ? "[" + endpoint.host + "]" : endpoint.host;
  return host + ":" + std::to_string(endpoint.port);
}

Endpoint parse_endpoint(std::string_view text) {
  const std::string unusable = "\"" + std::string(text) + "\": wanted HOST:PORT, or [ADDRESS]:PORT for IPv6";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) throw Error(unusable);
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    throw Error(unusable);
  }
  Endpoint endpoint{std::string(host), 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, endpoint.port);
  if (host.empty() || error != std::errc() || rest != end || endpoint.port == 0) throw Error(unusable);
  return endpoint;
}

namespace {

// One call of getaddrinfo(), which may outlive its caller.
class Call {
 public:
  Call(const Endpoint& endpoint, int flags, Lookup lookup)
      : host_(endpoint.host), port_(std::to_string(endpoint.port)), lookup_(lookup) {
    hints_.ai_family = AF_UNSPEC;
    hints_.ai_socktype = SOCK_STREAM;
    hints_.ai_flags = flags | AI_NUMERICSERV;
  }

  void run() {
    addrinfo* found = nullptr;
    const int status = lookup_(host_.empty() ? nullptr : host_.c_str(), port_.c_str(), &hints_, &found);
    const std::lock_guard lock(mutex_);
    if (status == 0) addresses_.reset(found);
    status_ = status;
    done_ = true;
    ended_.notify_all();
  }

  void wait(const Deadline& deadline) {
    std::unique_lock lock(mutex_);
    while (!done_ && !deadline.passed())
      ended_.wait_for(lock, std::chrono::milliseconds(deadline.left_ms()), [this] { return done_; });
  }

  Addresses take() {
    const std::lock_guard lock(mutex_);
    if (!done_) throw Error("cannot resolve this name: no answer in time");
    if (status_ != 0) throw Error(std::string("cannot resolve this name: ") + ::gai_strerror(status_));
    return std::move(addresses_);
  }

 private:
  const std::string host_;
  const std::string port_;
  const Lookup lookup_;
  addrinfo hints_{};
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  int status_ = 0;
  Addresses addresses_{nullptr, &::freeaddrinfo};
};

// The program's signals are for its own threads.
void start_without_signals(const std::shared_ptr<Call>& call) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::string failure;
  try {
    std::thread([call] { call->run(); }).detach();
  } catch (const std::system_error& error) {
    failure = std::string("cannot resolve this name: no thread: ") + error.what();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!failure.empty()) throw Error(failure);
}

bool needs_no_server(const Endpoint& endpoint) {
  if (endpoint.host.empty()) return true;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (::getaddrinfo(endpoint.host.c_str(), nullptr, &hints, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

}  // namespace

Addresses resolve(const Endpoint& endpoint, int flags, const Deadline& deadline, Lookup lookup) {
  const auto call = std::make_shared<Call>(endpoint, flags, lookup);
  if (needs_no_server(endpoint))
    call->run();
  else
    start_without_signals(call);
  call->wait(deadline);
  return call->take();
}

}  // namespace adasum::sockets
