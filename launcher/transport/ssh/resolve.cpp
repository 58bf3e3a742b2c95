// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/resolve.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/describe.h"
#include "base/file_descriptor.h"
#include "base/name_service.h"
#include "base/signals.h"

namespace adarun::launcher {

std::string SocketAddress::text() const {
  std::array<char, NI_MAXHOST> host{};
  const auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  if (getnameinfo(raw, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "?";
  return host.data();
}

std::string SocketAddress::text_with_port() const {
  std::array<char, NI_MAXSERV> port{};
  const auto* raw = reinterpret_cast<const sockaddr*>(&storage);
  if (getnameinfo(raw, size, nullptr, 0, port.data(), port.size(), NI_NUMERICSERV) != 0) return text();
  return text() + " port " + port.data();
}

bool SocketAddress::is_loopback() const {
  if (storage.ss_family == AF_INET) {
    const auto* raw = reinterpret_cast<const sockaddr_in*>(&storage);
    return ntohl(raw->sin_addr.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  const auto* raw = reinterpret_cast<const sockaddr_in6*>(&storage);
  return storage.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&raw->sin6_addr);
}

std::string own_address_towards(const SocketAddress& other) {
  // Connecting a datagram socket sends no datagram.
  const base::FileDescriptor socket(::socket(other.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* raw = reinterpret_cast<const sockaddr*>(&other.storage);
  if (!socket || connect(socket.get(), raw, other.size) != 0) return "";
  SocketAddress own;
  own.size = sizeof own.storage;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own.storage), &own.size) != 0) return "";
  return own.text();
}

namespace {

constexpr std::size_t most_threads = 16;

// Shared with the threads, which may outlive resolve_all().
class Lookups {
 public:
  explicit Lookups(std::vector<Endpoint> endpoints)
      : endpoints_(std::move(endpoints)), results_(endpoints_.size()), left_(endpoints_.size()) {}

  // Run by each thread: resolves names until there are no more.
  void work() {
    std::unique_lock lock(mutex_);
    while (next_ < endpoints_.size()) {
      const std::size_t mine = next_++;
      lock.unlock();
      Resolved result = resolve(endpoints_[mine]);
      lock.lock();
      results_[mine] = std::move(result);
      if (--left_ == 0) all_done_.notify_all();
    }
  }

  std::vector<Resolved> wait(std::chrono::milliseconds deadline) {
    std::unique_lock lock(mutex_);
    all_done_.wait_for(lock, deadline, [this] { return left_ == 0; });
    next_ = endpoints_.size();
    std::vector<Resolved> results = results_;
    for (std::size_t i = 0; i < results.size(); ++i)
      if (results[i].addresses.empty() && results[i].reason.empty())
        results[i].reason = endpoints_[i].hostname + ": cannot resolve this name: no answer within " +
                            base::describe(deadline);
    return results;
  }

 private:
  const std::vector<Endpoint> endpoints_;
  std::mutex mutex_;
  std::condition_variable all_done_;
  std::vector<Resolved> results_;
  std::size_t next_ = 0;
  std::size_t left_;
};

// Adds the addresses of a host, by name or as numbers. Returns 0 or what gai_strerror() takes.
int look_up(const std::string& host, const std::string& port, int family,
            std::vector<SocketAddress>& addresses) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &raw);
  if (error != 0) return error;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(raw, &freeaddrinfo);
  for (const addrinfo* item = raw; item != nullptr; item = item->ai_next) {
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
    address.size = item->ai_addrlen;
  }
  return 0;
}

}  // namespace

std::string Resolved::reason_without_name() const {
  const std::size_t colon = reason.find(": ");
  return colon == std::string::npos ? reason : reason.substr(colon + 2);
}

Resolved resolve(const Endpoint& endpoint) {
  const std::string port = std::to_string(endpoint.port);
  Resolved resolved;
  int error = look_up(endpoint.hostname, port, endpoint.family, resolved.addresses);
  if (error != 0)
    for (const std::string& address : base::addresses_by_getent(endpoint.hostname))
      if (look_up(address, port, endpoint.family, resolved.addresses) == 0) error = 0;
  if (error != 0) resolved.reason = endpoint.hostname + ": cannot resolve this name: " + gai_strerror(error);
  return resolved;
}

std::vector<Resolved> resolve_all(const std::vector<Endpoint>& endpoints,
                                  std::chrono::milliseconds deadline) {
  const auto lookups = std::make_shared<Lookups>(endpoints);
  for (std::size_t i = 0; i < std::min(endpoints.size(), most_threads); ++i)
    base::start_quiet_thread([lookups] { lookups->work(); }).detach();
  return lookups->wait(deadline);
}

}  // namespace adarun::launcher
