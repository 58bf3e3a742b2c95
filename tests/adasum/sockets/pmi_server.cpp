// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/sockets/pmi_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>

#include "tests/adasum/sockets/links.h"

namespace adasum::sockets {

PmiServer::PmiServer(int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    auto [server, client] = socket_pair();
    clients_.push_back({std::move(server), std::move(client), "", false, false});
  }
  auto [stop, stopping] = socket_pair();
  stop_ = std::move(stop);
  stopping_ = std::move(stopping);
  thread_ = std::thread([this] { serve(); });
}

PmiServer::~PmiServer() {
  stop_.reset();
  thread_.join();
}

ReadVariable PmiServer::environment_of(int rank) {
  const std::lock_guard lock(mutex_);
  const Client& client = clients_[static_cast<std::size_t>(rank)];
  const std::map<std::string, std::string> variables = {{"PMI_FD", std::to_string(client.rank.get())},
                                                        {"ADARUN_RANK_RESTARTS", client.again ? "1" : "0"},
                                                        {"PMI_RANK", std::to_string(rank)},
                                                        {"PMI_SIZE", std::to_string(clients_.size())},
                                                        {"MASTER_ADDR", "127.0.0.1"}};
  return [variables](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

void PmiServer::tell(std::uint64_t generation, const std::string& members, std::size_t root) {
  const std::lock_guard lock(mutex_);
  tell_all(generation, members, root);
}

void PmiServer::end(std::size_t rank) {
  const std::lock_guard lock(mutex_);
  staying_.erase(rank);
  ::shutdown(clients_[rank].server.get(), SHUT_RDWR);
}

void PmiServer::start_again(std::size_t rank) {
  auto [server, client] = socket_pair();
  const std::lock_guard lock(mutex_);
  clients_[rank] = {std::move(server), std::move(client), "", false, true};
  staying_.erase(rank);
  ::send(stop_.get(), "", 1, MSG_NOSIGNAL);
}

bool PmiServer::await_staying(std::size_t rank, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return staying_.count(rank) != 0; });
}

bool PmiServer::await_lost_peer(std::uint64_t generation, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [&] { return lost_generation_ >= generation; });
}

void PmiServer::hang_up() {
  const std::lock_guard lock(mutex_);
  for (const Client& client : clients_) ::shutdown(client.server.get(), SHUT_RDWR);
}

void PmiServer::tell_all(std::uint64_t generation, const std::string& members, std::size_t root) {
  for (const std::size_t rank : staying_)
    answer(rank, "cmd=adarun_members generation=" + std::to_string(generation) + " ranks=" + members +
                     " root=" + std::to_string(root) + " at=" + endpoints_[root]);
}

void PmiServer::serve() {
  while (true) {
    std::vector<pollfd> sources = {{stopping_.get(), POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      for (const Client& client : clients_) sources.push_back({client.server.get(), POLLIN, 0});
    }
    ::poll(sources.data(), sources.size(), -1);
    if (std::array<char, 1> byte{}; sources[0].revents != 0) {
      if (::recv(stopping_.get(), byte.data(), byte.size(), 0) <= 0) return;
      continue;  // The sockets are others now.
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t rank = 0; rank < clients_.size(); ++rank) {
      if (sources[rank + 1].revents == 0) continue;
      std::string& unread = clients_[rank].unread;
      std::array<char, 4096> bytes{};
      const ssize_t size = ::recv(clients_[rank].server.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size < 0 && errno == EAGAIN) continue;
      if (size <= 0) {
        clients_[rank].server.reset();
        continue;
      }
      unread.append(bytes.data(), static_cast<std::size_t>(size));
      for (std::size_t end = 0; (end = unread.find('\n')) != std::string::npos; unread.erase(0, end + 1))
        obey(rank, unread.substr(0, end));
    }
  }
}

void PmiServer::obey(std::size_t rank, const std::string& line) {
  std::map<std::string, std::string> pairs;
  std::istringstream words(line);
  for (std::string word; words >> word;)
    pairs[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  const std::string& name = pairs["cmd"];
  if (name == "init") answer(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0");
  if (name == "get_my_kvsname") answer(rank, "cmd=my_kvsname kvsname=job");
  if (name == "get") answer(rank, "cmd=get_result rc=0 value=" + values_[pairs["key"]]);
  if (name == "finalize") answer(rank, "cmd=finalize_ack rc=0");
  if (name == "put") {
    values_[pairs["key"]] = pairs["value"];
    answer(rank, "cmd=put_result rc=0");
  }
  if (name == "adarun_listen_at") {
    answer(rank, "cmd=adarun_listen_at_result rc=0");
    endpoints_[rank] = pairs["endpoint"];
  }
  if (name == "adarun_stay_on") {
    answer(rank, "cmd=adarun_stay_on_result rc=0");
    staying_.insert(rank);
    changed_.notify_all();
    if (!all_stayed_ && staying_.size() == clients_.size()) {
      all_stayed_ = true;
      tell_all(1, "0-" + std::to_string(clients_.size() - 1), 0);
    }
  }
  if (name == "adarun_lost_peer") {
    lost_generation_ = std::max<std::uint64_t>(lost_generation_, std::stoull(pairs["generation"]));
    changed_.notify_all();
  }
  if (name != "barrier_in") return;
  clients_[rank].in_barrier = true;
  if (!std::ranges::all_of(clients_, &Client::in_barrier)) return;
  for (std::size_t each = 0; each < clients_.size(); ++each) {
    clients_[each].in_barrier = false;
    answer(each, "cmd=barrier_out rc=0");
  }
}

void PmiServer::answer(std::size_t rank, const std::string& line) {
  const std::string bytes = line + "\n";
  ::send(clients_[rank].server.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

}  // namespace adasum::sockets
