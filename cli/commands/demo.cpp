// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/file_descriptor.h"
#include "base/output_folder.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/commands/commands.h"
#include "cli/commands/train.h"
#include "cli/view/background_program.h"
#include "cli/view/launch_job.h"
#include "cli/view/loss_view.h"
#include "launcher/hosts/host_words.h"
#include "ranktable/write.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* demo_help = R"(
Starts an sshd of its own on loopback addresses (own keys, own configuration, all of it in one folder), makes a
rank table of 2 nodes x 8 ranks, trains LeNet-5 on digits that the trainer draws itself, gradients combined by
AdaSum, and shows the loss. Leaves one folder behind, with the logs; no process.

Examples:
  adarun demo
  adarun demo --dir /tmp/adarun-demo -- --epochs 3)";

/// The "nodes" of the demo: loopback addresses of this machine.
constexpr std::array demo_addresses{"127.0.1.1", "127.0.1.2"};

/// An sshd that serves `demo_addresses` on a free port to the user who runs the demo, with newly generated
/// keys. Its files are in a new folder (0700) inside `parent`, removed with this object. It ends with this
/// object or this process. Throws ExitError if sshd or ssh-keygen are missing or do not work.
class DemoHost {
 public:
  explicit DemoHost(const fs::path& parent);
  ~DemoHost();
  DemoHost(const DemoHost&) = delete;
  DemoHost& operator=(const DemoHost&) = delete;

  /// The SSH client configuration: port, key, known host keys.
  fs::path ssh_config() const { return folder_ / "ssh_config"; }

 private:
  void make_keys() const;
  void write_configs() const;
  void start();
  void await_answer() const;
  void stop();

  fs::path folder_;
  int port_ = 0;
  std::unique_ptr<BackgroundProgram> sshd_;
  bool made_run_sshd_ = false;
};

constexpr std::chrono::seconds ready_timeout{10};
constexpr std::chrono::milliseconds poll_interval{5};
// An sshd running as root requires this folder, which may exist only while the system's own sshd runs.
constexpr const char* run_sshd = "/run/sshd";

fs::path find_program(const char* name) {
  for (const char* folder : {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"})
    if (access((fs::path(folder) / name).c_str(), X_OK) == 0) return fs::path(folder) / name;
  throw ExitError(exit_could_not_start,
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
    throw ExitError(exit_could_not_start, std::string("demo: no free port on ") + demo_addresses[0]);
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
  if (!out.flush()) throw ExitError(exit_could_not_start, file.string() + ": cannot write this file");
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
    throw ExitError(exit_could_not_start,
                    "demo: cannot make a folder in " + parent.string() + ": " + base::system_text(errno));
  return name;
}

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
      throw ExitError(exit_could_not_start, "demo: ssh-keygen failed: " + content(log));
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
        throw ExitError(exit_could_not_start, "demo: sshd did not start: " + content(folder_ / "sshd.log"));
      std::this_thread::sleep_for(poll_interval);
    }
}

void DemoHost::stop() {
  sshd_.reset();
  std::error_code ignored;
  if (made_run_sshd_) fs::remove(run_sshd, ignored);
  fs::remove_all(folder_, ignored);
}

LaunchOptions launch_options(const fs::path& dir, const DemoHost& host, base::Log& log) {
  LaunchOptions launch;
  launch.log = &log;
  launch.table_file = dir / "rank_table.json";
  launch.ssh.config_file = fs::proximate(host.ssh_config());
  launch.adasum = true;
  launch.log_dir = dir / launch.log_dir;
  launch.job_index = dir / "jobs";
  return launch;
}

void write_table(const fs::path& file, const std::vector<std::string>& addresses) {
  constexpr int devices_per_node = 8;
  std::vector<launcher::Host> hosts;
  hosts.reserve(addresses.size());
  for (const std::string& address : addresses)
    hosts.push_back({address, launcher::first_devices(devices_per_node), "", 0});
  ranktable::write_file(file, ranktable::write(launcher::table_of(hosts)));
}

void say_what_next(const LaunchOptions& launch) {
  const std::string logs = launch.log_dir;
  std::printf(
      "\nLogs of all ranks, the rank table and the job's events are in %s/\n"
      "Next:\n"
      "  adarun monitor %s --once       the run in a few lines\n"
      "  adarun logs %s --rank 3        what one rank printed\n"
      "  adarun train --hosts node[1-2]:8   the same on your nodes\n",
      logs.c_str(), logs.c_str(), logs.c_str());
}

int run_demo(const std::string& folder_name, const Invocation& invocation) {
  const fs::path dir = fs::path(folder_name).lexically_normal();
  const base::OutputFolder folder(dir);  // Not another user's: keys will be there.
  std::printf("Starting an sshd for this demo on %s and %s ...\n", demo_addresses[0], demo_addresses[1]);
  std::fflush(stdout);
  const DemoHost host(fs::absolute(dir));
  write_table(dir / "rank_table.json", {demo_addresses.begin(), demo_addresses.end()});
  const LaunchOptions launch = launch_options(dir, host, invocation.log);
  std::vector<std::string> argv{trainer_program(""), "--eval"};
  argv.insert(argv.end(), invocation.trailing.begin(), invocation.trailing.end());
  std::printf("$ adarun train -r %s --ssh-config %s --log-dir %s -- --eval\n", launch.table_file.c_str(),
              launch.ssh.config_file.c_str(), launch.log_dir.c_str());
  std::fflush(stdout);
  const int status = launch_job(launch, place(launch), argv, loss_view(invocation.color, 0, ""));
  if (status == exit_done) say_what_next(launch);
  return status;
}

}  // namespace

void add_demo(CLI::App& app, Invocation& invocation) {
  const auto dir = std::make_shared<std::string>("adarun-demo");
  CLI::App* command = app.add_subcommand(
      "demo", "The main job on this machine: 16 ranks over SSH, with nothing to configure");
  add_text(*command, "--dir", *dir, "DIR", "Folder for everything it writes (default: adarun-demo)");
  command->footer(demo_help);
  command->callback([dir, &invocation] { invocation.exit_status = run_demo(*dir, invocation); });
}

}  // namespace adarun::cli
