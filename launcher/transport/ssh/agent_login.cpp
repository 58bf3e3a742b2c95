// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/ssh/agent_login.h"

#include <libssh/libssh.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "base/file_descriptor.h"
#include "base/signals.h"
#include "launcher/base/error.h"

namespace adarun::launcher {
namespace {

constexpr char identities_answer = 12;
constexpr std::size_t size_bytes = 4;
constexpr std::size_t most_message_bytes = 256U << 10U;

std::uint32_t number_at(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size_bytes; ++i) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string number(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
  return bytes;
}

// Removes a length-prefixed string from the front; none if it is incomplete.
std::optional<std::string_view> cut_string(std::string_view& bytes) {
  if (bytes.size() < size_bytes || bytes.size() - size_bytes < number_at(bytes)) return std::nullopt;
  const std::string_view text = bytes.substr(size_bytes, number_at(bytes));
  bytes.remove_prefix(size_bytes + text.size());
  return text;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      group = group << 8U | (k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : digits[group >> (18U - 6U * k) & 63U];
  }
  return text;
}

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
  const std::string framed = number(message.size()) + message;
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

void serve(int near, const std::string& agent_socket, const std::set<std::string>& keys) {
  const base::FileDescriptor agent = connect_to(agent_socket);
  std::string message;
  while (agent && read_message(near, message)) {
    if (!write_message(agent.get(), message) || !read_message(agent.get(), message)) return;
    if (!write_message(near, filter_identities(message, keys))) return;
  }
}

// A socket to use instead of the agent's: libssh tries all keys of an ssh-agent, and is shown only some of
// them. A thread forwards messages until one of the two sides closes. If no agent is there, the connection
// closes at once.
base::FileDescriptor filtered_agent(const std::string& agent_socket, const std::set<std::string>& keys) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error("cannot make a pair of sockets");
  base::start_quiet_thread([end = ends[1], agent_socket, keys] {
    const base::FileDescriptor far(end);
    serve(far.get(), agent_socket, keys);
  }).detach();
  return base::FileDescriptor(ends[0]);
}

// How long bytes may wait that libssh has already read from the socket.
constexpr int beat_ms = 100;

base::FileDescriptor make_event() {
  base::FileDescriptor event(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!event) throw Error("cannot make an event descriptor");
  return event;
}

}  // namespace

std::string filter_identities(std::string_view answer, const std::set<std::string>& keys) {
  if (answer.size() < 1 + size_bytes || answer.front() != identities_answer) return std::string(answer);
  std::string_view rest = answer.substr(1 + size_bytes);
  std::string kept;
  std::size_t count = 0;
  while (const auto key = cut_string(rest)) {
    const auto comment = cut_string(rest);
    if (!comment) break;
    if (keys.count(base64(*key)) == 0) continue;
    kept += number(key->size()) + std::string(*key) + number(comment->size()) + std::string(*comment);
    ++count;
  }
  return identities_answer + number(count) + kept;
}

// Shared with the thread, which may outlive the AgentLogin.
struct AgentLogin::Work {
  SshSession session;
  std::shared_ptr<const LoginKeys> keys;
  base::FileDescriptor given_up = make_event();
  std::atomic<bool> is_given_up = false;
  std::atomic<bool> waits_for_key = false;
  int result = SSH_AUTH_ERROR;

  void run() {
    use_agent();
    while (!is_given_up) {
      waits_for_key = true;
      result = ssh_userauth_agent(session.get(), nullptr);
      waits_for_key = false;
      if (result != SSH_AUTH_AGAIN) return;
      wait_for_server();
    }
  }

  void use_agent() {
    if (keys->agent_keys) {
      ssh_set_agent_socket(session.get(), filtered_agent(keys->agent_socket, *keys->agent_keys).release());
    } else {
      ssh_options_set(session.get(), SSH_OPTIONS_IDENTITY_AGENT, keys->agent_socket.c_str());
    }
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
        work_->keys = std::move(keys);
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

}  // namespace adarun::launcher
