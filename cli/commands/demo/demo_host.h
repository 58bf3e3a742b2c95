// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/view/background_program.h"

namespace adarun::cli {

/// The "nodes" of the demo: loopback addresses of this machine.
inline constexpr std::array demo_addresses{"127.0.1.1", "127.0.1.2"};

/// An sshd that serves `demo_addresses` on a free port to the user who runs the demo, with newly generated
/// keys. Its files are in a new folder (0700) inside `parent`, removed with this object. It ends with this
/// object or this process.
class DemoHost {
 public:
  /// Throws std::runtime_error, in a line for the user, if this machine cannot run one: sshd or ssh-keygen
  /// are missing or do not work, or the user has no name, a locked account or a login shell that runs
  /// nothing.
  explicit DemoHost(const std::filesystem::path& parent);
  ~DemoHost();
  DemoHost(const DemoHost&) = delete;
  DemoHost& operator=(const DemoHost&) = delete;

  /// The SSH client configuration: port, key, known host keys.
  std::filesystem::path ssh_config() const { return folder_ / "ssh_config"; }

 private:
  void make_keys(const std::string& keygen) const;
  void require_shell(const std::string& user, const std::string& shell) const;
  void write_configs(const std::string& user) const;
  void start(const std::string& sshd);
  void await_answer() const;
  void stop();

  std::filesystem::path folder_;
  int port_ = 0;
  std::unique_ptr<BackgroundProgram> sshd_;
  bool made_run_sshd_ = false;
};

}  // namespace adarun::cli
