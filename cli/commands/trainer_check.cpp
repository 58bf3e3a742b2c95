// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/trainer_check.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/read_text.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/view/background_program.h"

namespace adarun::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds answer_timeout{10};
constexpr const char* by_the_trainer = "adarun-trainer: ";

bool has_config_of_nodes(const std::vector<std::string>& options) {
  const std::string option = "--config";
  std::error_code ignored;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i] == option && i + 1 < options.size() && !fs::exists(options[i + 1], ignored)) return true;
    if (options[i].starts_with(option + "=") && !fs::exists(options[i].substr(option.size() + 1), ignored))
      return true;
  }
  return false;
}

}  // namespace

void ask_trainer(const std::string& program, const std::string& option) {
  std::string path = program;
  std::string word = option;
  const std::array<char*, 3> argv{path.data(), word.data(), nullptr};
  execv(path.c_str(), argv.data());
  throw Quit(exit_failed, "train: " + program + ": " + base::system_text(errno));
}

void check_trainer_options(const std::string& program, const std::vector<std::string>& options) {
  if (options.empty() || access(program.c_str(), X_OK) != 0 || has_config_of_nodes(options)) return;
  const base::FileDescriptor said(::memfd_create("options", MFD_CLOEXEC));
  if (!said) return;
  std::vector<std::string> argv{program, "--check-options"};
  argv.insert(argv.end(), options.begin(), options.end());
  if (BackgroundProgram(argv, said.get()).succeeds_within(answer_timeout)) return;
  std::string text = base::read_text("/proc/self/fd/" + std::to_string(said.get()));
  text = text.substr(0, text.find('\n'));
  if (!text.starts_with(by_the_trainer)) return;
  throw Quit(exit_usage, "train: " + base::clean_line(text.substr(std::string(by_the_trainer).size())));
}

}  // namespace adarun::cli
