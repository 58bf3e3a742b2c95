// SPDX-License-Identifier: Apache-2.0
#include "base/name_service.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <nss.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>

#include "base/build_facts.h"
#include "base/file_descriptor.h"

namespace adarun::base {
namespace {

constexpr std::chrono::seconds getent_timeout{5};
constexpr std::size_t most_output = 65536;
constexpr const char* default_shell = "/bin/sh";

// All that a program prints until it ends, the time is over, or it has printed too much.
std::string read_all(int pipe) {
  const auto deadline = std::chrono::steady_clock::now() + getent_timeout;
  std::string output;
  std::array<char, 4096> buffer{};
  while (output.size() < most_output) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{pipe, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) return "";
    const ssize_t size = ::read(pipe, buffer.data(), buffer.size());
    if (size <= 0) return output;
    output.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return "";
}

// What `getent DATABASE -- KEY` prints; empty if there is no getent.
std::string ask_getent(const char* database, const std::string& key) {
  if (!is_portable()) return "";
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // The calling thread may block all signals.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const std::array<const char*, 5> argv{"getent", database, "--", key.c_str(), nullptr};
  pid_t child = -1;
  const int error = ::posix_spawn(&child, "/usr/bin/getent", &actions, &attributes,
                                  const_cast<char* const*>(argv.data()), environ);  // NOLINT
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return "";
  write_end.reset();
  std::string output = read_all(read_end.get());
  ::kill(child, SIGKILL);  // It has ended, is about to, or takes too long.
  ::waitpid(child, nullptr, 0);
  return output;
}

std::optional<User> user_of_entry(const passwd* entry) {
  if (entry == nullptr || entry->pw_name == nullptr || entry->pw_dir == nullptr) return std::nullopt;
  const bool has_shell = entry->pw_shell != nullptr && *entry->pw_shell != '\0';
  return User{entry->pw_name, entry->pw_uid, entry->pw_dir, has_shell ? entry->pw_shell : default_shell};
}

}  // namespace

void disable_nss_plugins() {
  if (!is_portable()) return;
  for (const char* database : {"passwd", "shadow", "group", "services"})
    __nss_configure_lookup(database, "files");
  __nss_configure_lookup("hosts", "files dns");
}

std::optional<User> user_of(uid_t id) {
  std::optional<User> user = user_of_entry(::getpwuid(id));
  if (!user) user = user_in(ask_getent("passwd", std::to_string(id)));
  return user && user->id == id ? user : std::nullopt;
}

std::optional<User> user_named(const std::string& name) {
  std::optional<User> user = user_of_entry(::getpwnam(name.c_str()));
  const bool is_number = name.find_first_not_of("0123456789") == std::string::npos;
  if (!user && !is_number) user = user_in(ask_getent("passwd", name));  // It takes a number for an id.
  return user;
}

std::vector<std::string> addresses_by_getent(const std::string& host) {
  return addresses_in(ask_getent("ahosts", host));
}

std::optional<User> user_in(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  enum Field : std::size_t { name, password, id, group, comment, home, shell, count };
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(':', begin), line.size());
    fields.emplace_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  if (fields.size() != count || fields[name].empty()) return std::nullopt;
  uid_t number = 0;
  const char* const end = fields[id].data() + fields[id].size();
  const auto read = std::from_chars(fields[id].data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return User{fields[name], number, fields[home], fields[shell].empty() ? default_shell : fields[shell]};
}

std::vector<std::string> addresses_in(std::string_view text) {
  std::vector<std::string> addresses;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string word(line.substr(0, line.find_first_of(" \t")));
    const std::string plain = word.substr(0, word.find('%'));  // Behind it an interface: fe80::1%eth0.
    in6_addr ignored{};
    const bool is_address = ::inet_pton(AF_INET, word.c_str(), &ignored) == 1 ||
                            ::inet_pton(AF_INET6, plain.c_str(), &ignored) == 1;
    if (is_address && std::find(addresses.begin(), addresses.end(), word) == addresses.end())
      addresses.push_back(word);
  }
  return addresses;
}

}  // namespace adarun::base
