// SPDX-License-Identifier: Apache-2.0
#include "cli/view/demo_host.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds ready_timeout{10};
constexpr std::chrono::milliseconds poll_interval{5};
// An sshd running as root requires this folder, which may exist only while the system's own sshd runs.
constexpr const char* run_sshd = "/run/sshd";

fs::path find_program(const char* name) {
  for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"})
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  throw Quit(exit_could_not_start,
             std::string("demo: ") + name + " is not on this machine; install openssh-server");
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
    throw Quit(exit_could_not_start, std::string("demo: no free port on ") + demo_addresses[0]);
  return ntohs(any.sin_port);
}

bool answers(const char* host, int port) {
  const base::FileDescriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in there = address(host, port);
  return connect(probe.get(), reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0;
}

std::string user_name() {
  const passwd* entry = getpwuid(getuid());
  return entry == nullptr ? std::to_string(getuid()) : entry->pw_name;
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw Quit(exit_could_not_start, file.string() + ": cannot write this file");
}

base::FileDescriptor open_log(const fs::path& file) {
  return base::open_own_file(AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND, S_IRUSR | S_IWUSR);
}

std::string content(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Always a new folder, so that removing it removes nothing else.
fs::path fresh_folder(const fs::path& parent) {
  std::string name = parent / "sshd-XXXXXX";
  if (mkdtemp(name.data()) == nullptr)
    throw Quit(exit_could_not_start,
               "demo: cannot make a folder in " + parent.string() + ": " + base::system_text(errno));
  return name;
}

}  // namespace

DemoHost::DemoHost(const fs::path& parent) : folder_(fresh_folder(parent)), port_(free_port()) {
  try {
    make_keys();
    write_configs();
    start();
    await_answer();
  } catch (...) {
    stop();
    throw;
  }
}

DemoHost::~DemoHost() {
  stop();
}

void DemoHost::make_keys() const {
  const std::string keygen = find_program("ssh-keygen");
  const fs::path log = folder_ / "keygen.log";
  for (const char* name : {"host_key", "user_key"}) {
    const BackgroundProgram making(
        {keygen, "-q", "-t", "ed25519", "-N", "", "-C", "adarun demo", "-f", folder_ / name},
        open_log(log).get());
    if (!making.succeeds_within(ready_timeout))
      throw Quit(exit_could_not_start, "demo: ssh-keygen failed: " + content(log));
  }
}

void DemoHost::write_configs() const {
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
  write_file(ssh_config(), "Host *\n  User " + user_name() + "\n  Port " + port + "\n  IdentityFile " +
                               quoted_path("user_key") + "  UserKnownHostsFile " +
                               quoted_path("known_hosts"));
}

void DemoHost::start() {
  if (getuid() == 0) made_run_sshd_ = fs::create_directory(run_sshd);
  const std::vector<std::string> argv{find_program("sshd"), "-D", "-e", "-f", folder_ / "sshd_config"};
  sshd_ = std::make_unique<BackgroundProgram>(argv, open_log(folder_ / "sshd.log").get());
}

void DemoHost::await_answer() const {
  const auto deadline = std::chrono::steady_clock::now() + ready_timeout;
  for (const char* host : demo_addresses)
    while (!answers(host, port_)) {
      if (sshd_->has_ended() || std::chrono::steady_clock::now() > deadline)
        throw Quit(exit_could_not_start, "demo: sshd did not start: " + content(folder_ / "sshd.log"));
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
