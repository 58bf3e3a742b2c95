// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/agent_login.h"

#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/file_descriptor.h"
#include "base/signals.h"
#include "launcher/base/error.h"
#include "launcher/transport/ssh/key_blob.h"

namespace adarun::launcher {
namespace {

constexpr char identities_answer = 12;
constexpr char sign_request = 13;
constexpr std::size_t most_message_bytes = 256U << 10U;

bool read_all(int fd, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t taken = recv(fd, bytes, size, 0);
    if (taken <= 0) return false;
    bytes += taken;
    size -= static_cast<std::size_t>(taken);
  }
  return true;
}

bool write_message(int fd, const std::string& message) {
  const std::string framed = with_length(message);
  return send(fd, framed.data(), framed.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(framed.size());
}

bool read_message(int fd, std::string& message) {
  std::array<char, size_bytes> size{};
  if (!read_all(fd, size.data(), size.size())) return false;
  const std::uint32_t bytes = number_at({size.data(), size.size()});
  if (bytes > most_message_bytes) return false;
  message.resize(bytes);
  return read_all(fd, message.data(), bytes);
}

base::FileDescriptor connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  base::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (path.size() >= sizeof address.sun_path) return {};
  std::memcpy(address.sun_path, path.data(), path.size());
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return socket;
}

// What libssh sees of an ssh-agent: one key at a time. By itself it would try all of them in the agent's
// order, without saying which. Its socket takes the place of the agent's; a thread forwards messages until
// one of the two sides closes. If no agent is there, the connection closes at once. Used by that thread and
// by the one that logs in.
class OneKeyAgent {
 public:
  explicit OneKeyAgent(std::shared_ptr<const LoginKeys> keys) : keys_(std::move(keys)) {}

  // Starts to serve; returns libssh's end.
  static base::FileDescriptor serve(const std::shared_ptr<OneKeyAgent>& agent) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw Error("cannot make a pair of sockets");
    base::FileDescriptor near(ends[0]);
    agent->far_ = base::FileDescriptor(ends[1]);
    base::start_quiet_thread([agent] {
      agent->forward();
      agent->close();
    }).detach();
    return near;
  }

  // From now on shows the key of this number.
  void show(std::size_t turn) {
    const std::lock_guard lock(mutex_);
    turn_ = turn;
    shown_.clear();
    signer_.clear();
  }

  // The key that was asked for since then, as base64; "": none was, or there is none of that number.
  std::string shown() const {
    const std::lock_guard lock(mutex_);
    return shown_;
  }

  // Ends the connection of both threads.
  void close() const { ::shutdown(far_.get(), SHUT_RDWR); }

 private:
  void forward() {
    const base::FileDescriptor agent = connect_to(keys_->agent_socket);
    std::string message;
    while (agent && read_message(far_.get(), message)) {
      if (message.starts_with(sign_request)) message = as_known_to_agent(message);
      if (!write_message(agent.get(), message) || !read_message(agent.get(), message)) return;
      const bool has_keys = message.starts_with(identities_answer);
      if (!write_message(far_.get(), has_keys ? one_key(message) : message)) return;
    }
  }

  // The answer reduced to the key whose turn it is.
  std::string one_key(std::string_view answer) {
    const std::vector<AgentIdentity> all = identities_to_offer(answer, *keys_);
    const std::lock_guard lock(mutex_);
    if (turn_ >= all.size()) return identities_answer + bytes_of(0);
    shown_ = all[turn_].public_key;
    signer_ = all[turn_].signer;
    return identities_answer + bytes_of(1) + all[turn_].bytes;
  }

  // A request for a signature, by the key that the agent has where a certificate of it was shown.
  std::string as_known_to_agent(const std::string& request) const {
    const std::lock_guard lock(mutex_);
    std::string_view rest = std::string_view(request).substr(1);
    if (signer_.empty() || !cut_string(rest)) return request;
    return sign_request + with_length(signer_) + std::string(rest);
  }

  const std::shared_ptr<const LoginKeys> keys_;
  base::FileDescriptor far_;
  mutable std::mutex mutex_;
  std::size_t turn_ = 0;
  std::string shown_;
  std::string signer_;
};

// How long bytes may wait that libssh has already read from the socket.
constexpr int beat_ms = 100;

base::FileDescriptor make_event() {
  base::FileDescriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw Error("cannot make an event descriptor");
  return event;
}

}  // namespace

std::vector<AgentIdentity> identities_to_offer(std::string_view answer, const LoginKeys& keys) {
  if (answer.size() < 1 + size_bytes || answer.front() != identities_answer) return {};
  std::string_view rest = answer.substr(1 + size_bytes);
  std::vector<AgentIdentity> others;
  std::map<std::string, std::string> blobs;
  while (const auto key = cut_string(rest)) {
    const auto comment = cut_string(rest);
    if (!comment) break;
    const std::string name = to_base64(*key);
    if (key->empty() || !blobs.try_emplace(name, *key).second) continue;
    others.push_back({name, with_length(*key) + with_length(*comment), ""});
  }
  std::vector<AgentIdentity> offered;
  for (const NamedKey& each : keys.named) {
    if (std::ranges::find(offered, each.public_key, &AgentIdentity::public_key) != offered.end()) continue;
    const auto found = std::ranges::find(others, each.public_key, &AgentIdentity::public_key);
    const auto signer = blobs.find(each.certified_key);
    if (found != others.end()) {
      offered.push_back(std::move(*found));
      others.erase(found);
    } else if (signer != blobs.end() && blobs.count(each.public_key) == 0) {
      const std::string bytes = with_length(from_base64(each.public_key)) + with_length("");
      offered.push_back({each.public_key, bytes, signer->second});
    }
  }
  if (!keys.identities_only) offered.insert(offered.end(), others.begin(), others.end());
  return offered;
}

// Shared with the thread, which may outlive the AgentLogin.
struct AgentLogin::Work {
  SshSession session;
  std::shared_ptr<OneKeyAgent> agent;
  std::vector<std::string> offered;
  base::FileDescriptor given_up = make_event();
  std::atomic<bool> is_given_up = false;
  std::atomic<bool> waits_for_key = false;
  int result = SSH_AUTH_DENIED;

  void run() {
    ssh_set_agent_socket(session.get(), OneKeyAgent::serve(agent).release());
    while (!is_given_up && result != SSH_AUTH_SUCCESS && ssh_is_connected(session.get()) != 0) {
      agent->show(offered.size());
      const int answer = offer_key();
      if (agent->shown().empty()) break;
      offered.push_back(agent->shown());
      if (result != SSH_AUTH_PARTIAL || answer == SSH_AUTH_SUCCESS) result = answer;
    }
    agent->close();
  }

  int offer_key() {
    while (!is_given_up) {
      waits_for_key = true;
      const int answer = ssh_userauth_agent(session.get(), nullptr);
      waits_for_key = false;
      if (answer != SSH_AUTH_AGAIN) return answer;
      if (ssh_is_connected(session.get()) == 0) break;
      wait_for_server();
    }
    return SSH_AUTH_ERROR;
  }

  void wait_for_server() const {
    const int flags = ssh_get_poll_flags(session.get());
    const auto wanted = static_cast<short>(POLLIN | ((flags & SSH_WRITE_PENDING) != 0 ? POLLOUT : 0));
    std::array<pollfd, 2> polled{{{ssh_get_fd(session.get()), wanted, 0}, {given_up.get(), POLLIN, 0}}};
    poll(polled.data(), polled.size(), beat_ms);
  }
};

AgentLogin::AgentLogin(SshSession session, std::shared_ptr<const LoginKeys> keys)
    : work_(std::make_shared<Work>()), task_([&] {
        work_->session = std::move(session);
        work_->agent = std::make_shared<OneKeyAgent>(std::move(keys));
        return [work = work_] { work->run(); };
      }()) {}

AgentLogin::~AgentLogin() {
  work_->is_given_up = true;
  eventfd_write(work_->given_up.get(), 1);
}

bool AgentLogin::waits_for_key() const {
  return work_->waits_for_key;
}

SshSession AgentLogin::take_session() {
  return std::move(work_->session);
}

int AgentLogin::result() const {
  return work_->result;
}

const std::vector<std::string>& AgentLogin::offered() const {
  return work_->offered;
}

}  // namespace adarun::launcher
