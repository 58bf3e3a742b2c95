// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <memory>

#include "cli/view/background_program.h"

namespace adarun::cli {

/// The "nodes" of the demo: loopback addresses of this machine.
inline constexpr std::array demo_addresses{"127.0.1.1", "127.0.1.2"};

/// An sshd that serves `demo_addresses` on a free port to the user who runs the demo, with newly generated
/// keys. Its files are in a new folder (0700) inside `parent`, removed with this object. It ends with this
/// object or this process. Throws Quit if sshd or ssh-keygen are missing or do not work.
class DemoHost {
 public:
  explicit DemoHost(const std::filesystem::path& parent);
  ~DemoHost();
  DemoHost(const DemoHost&) = delete;
  DemoHost& operator=(const DemoHost&) = delete;

  /// The SSH client configuration: port, key, known host keys.
  std::filesystem::path ssh_config() const { return folder_ / "ssh_config"; }

 private:
  void make_keys() const;
  void write_configs() const;
  void start();
  void await_answer() const;
  void stop();

  std::filesystem::path folder_;
  int port_ = 0;
  std::unique_ptr<BackgroundProgram> sshd_;
  bool made_run_sshd_ = false;
};

}  // namespace adarun::cli
