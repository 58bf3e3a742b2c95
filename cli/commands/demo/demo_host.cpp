// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/demo/demo_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <shadow.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/name_service.h"
#include "base/output_folder.h"
#include "base/system_text.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds ready_timeout{10};
constexpr std::chrono::milliseconds poll_interval{5};
// An sshd running as root requires this folder, which may exist only while the system's own sshd runs.
constexpr const char* run_sshd = "/run/sshd";

std::string find_program(const std::string& name) {
  for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"})
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  throw std::runtime_error(name +
                           " is not on this machine (install openssh-server to see the demo over SSH)");
}

sockaddr_in address(const char* text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  inet_pton(AF_INET, text, &address.sin_addr);
  return address;
}

// A port that is free on the first address.
int free_port() {
  const base::FileDescriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in any = address(demo_addresses[0], 0);
  socklen_t size = sizeof any;
  auto* raw = reinterpret_cast<sockaddr*>(&any);
  if (bind(probe.get(), raw, size) != 0 || getsockname(probe.get(), raw, &size) != 0)
    throw std::runtime_error(std::string("no port is free on ") + demo_addresses[0]);
  return ntohs(any.sin_port);
}

bool answers(const char* host, int port) {
  const base::FileDescriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in there = address(host, port);
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
}

// sshd logs users in by name, and without PAM refuses those whose password is locked.
base::User this_user() {
  std::optional<base::User> user = base::user_of(getuid());
  if (!user)
    throw std::runtime_error("this user (uid " + std::to_string(getuid()) +
                             ") has no name, which sshd wants");
  const spwd* secret = getspnam(user->name.c_str());  // Null if it is not for this user.
  if (secret != nullptr && secret->sp_pwdp != nullptr && *secret->sp_pwdp == '!')
    throw std::runtime_error("the account of " + user->name + " is locked, which sshd refuses");
  return *user;
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error(file.string() + ": cannot write this file");
}

base::FileDescriptor open_log(const fs::path& file) {
  return base::open_own_file(AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// What a program said last of why it failed.
std::string last_line(const fs::path& log) {
  std::string text = content(log);
  text.erase(text.find_last_not_of("\r\n") + 1);
  return base::clean_line(text.substr(text.rfind('\n') + 1));
}

// Always a new folder, so that removing it removes nothing else.
fs::path fresh_folder(const fs::path& parent) {
  std::string name = parent / "sshd-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw std::runtime_error(parent.string() + ": cannot make a folder there: " + base::system_text(errno));
  return name;
}

}  // namespace

DemoHost::DemoHost(const fs::path& parent) {
  const std::string sshd = find_program("sshd");
  const std::string keygen = find_program("ssh-keygen");
  const base::User user = this_user();
  folder_ = fresh_folder(parent);
  try {
    port_ = free_port();
    make_keys(keygen);
    require_shell(user.name, user.shell);
    write_configs(user.name);
    start(sshd);
    await_answer();
  } catch (...) {
    stop();
    throw;
  }
}

DemoHost::~DemoHost() {
  stop();
}

void DemoHost::make_keys(const std::string& keygen) const {
  const fs::path log = folder_ / "keygen.log";
  for (const char* name : {"host_key", "user_key"}) {
    const BackgroundProgram making(
        {keygen, "-q", "-t", "ed25519", "-N", "", "-C", "adarun demo", "-f", folder_ / name},
        open_log(log).get());
    if (!making.succeeds_within(ready_timeout))
      throw std::runtime_error("ssh-keygen failed: " + last_line(log));
  }
}

// Of system users it is a program that only refuses.
void DemoHost::require_shell(const std::string& user, const std::string& shell) const {
  const BackgroundProgram running({shell, "-c", "exit 0"}, open_log(folder_ / "shell.log").get());
  if (!running.succeeds_within(ready_timeout))
    throw std::runtime_error("the login shell of " + user + ", " + shell + ", runs no commands");
}

void DemoHost::write_configs(const std::string& user) const {
  const std::string port = std::to_string(port_);
  const auto quoted_path = [this](const char* name) { return "\"" + (folder_ / name).string() + "\"\n"; };
  std::string listen;
  std::string known;
  const std::string host_key = content(folder_ / "host_key.pub");
  for (const char* host : demo_addresses) {
    listen += "ListenAddress " + std::string(host) + ":" + port + "\n";
    known += "[" + std::string(host) + "]:" + port + " " + host_key;
  }
  write_file(folder_ / "known_hosts", known);
  write_file(folder_ / "authorized_keys", content(folder_ / "user_key.pub"));
  write_file(folder_ / "sshd_config",
             listen + "HostKey " + quoted_path("host_key") + "AuthorizedKeysFile " +
                 quoted_path("authorized_keys") +
                 "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n" +
                 "PermitRootLogin prohibit-password\nPrintMotd no\nUseDNS no\n" + "MaxStartups 100\n");
  write_file(ssh_config(), "Host *\n  User " + user + "\n  Port " + port + "\n  IdentityFile " +
                               quoted_path("user_key") + "  UserKnownHostsFile " +
                               quoted_path("known_hosts"));
}

void DemoHost::start(const std::string& sshd) {
  std::error_code none;  // Without it sshd says what it wants.
  if (getuid() == 0) made_run_sshd_ = fs::create_directory(run_sshd, none);
  const std::vector<std::string> argv{sshd, "-D", "-e", "-f", folder_ / "sshd_config"};
  sshd_ = std::make_unique<BackgroundProgram>(argv, open_log(folder_ / "sshd.log").get());
}

void DemoHost::await_answer() const {
  const auto deadline = std::chrono::steady_clock::now() + ready_timeout;
  for (const char* host : demo_addresses)
    while (!answers(host, port_)) {
      if (sshd_->has_ended() || std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("sshd does not start: " + last_line(folder_ / "sshd.log"));
      std::this_thread::sleep_for(poll_interval);
    }
}

void DemoHost::stop() {
  sshd_.reset();
  std::error_code ignored;
  if (made_run_sshd_) fs::remove(run_sshd, ignored);
  fs::remove_all(folder_, ignored);
}

}  // namespace adarun::cli
