// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/defaults.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/blake2b.h"
#include "base/file_descriptor.h"
#include "base/parse_json.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"

namespace adarun::cli {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::size_t most_file_bytes = 1U << 20U;
constexpr std::string_view prefix = "ADARUN_";
constexpr std::array common_commands{"launch", "train", "check"};

// What says where and how ranks run. Not what names programs, keys, variables or other files than host lists,
// the rank table and the log folder, and nothing of a command that removes something.
const std::vector<std::string> options_of_folder{
    "adasum",         "adasum-world",  "bind",       "connect-timeout", "exclude",
    "exclude-on",     "fanout",        "fold",       "grace",           "hang-timeout",
    "hosts",          "lease",         "log-dir",    "log-limit",       "min-nodes",
    "min-ranks",      "mpi",           "nnodes",     "no-restart-on",   "port",
    "quiet",          "rank-restarts", "rank-table", "ranks",           "restart-delay",
    "restarts",       "show",          "spare",      "standalone",      "tag-output",
    "timeout",        "ulimit",        "user",       "verbose",         "nproc-per-node",
    "visible-devices"};

bool is_common(const std::string& command) {
  return std::ranges::find(common_commands, command) != common_commands.end();
}

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Reads one file of defaults.
class DefaultsFile {
 public:
  DefaultsFile(std::string name, bool is_of_user) : name_(std::move(name)), is_of_user_(is_of_user) {}

  std::vector<Default> read(const std::string& text) {
    if (base::is_nested_too_deep(text)) refuse(base::nested_too_deep_text());
    const auto file = base::parse_json<ordered_json>(text);
    if (!file.is_object()) refuse("wanted a JSON object");
    for (const auto& [key, value] : file.items()) {
      if (key == "$schema") continue;  // For editors.
      if (!value.is_object()) take("", key, value);
      if (value.is_object())
        for (const auto& [option, of_command] : value.items()) take(key, option, of_command);
    }
    const auto is_of_command = [](const Default& each) { return !each.command.empty(); };
    std::stable_partition(found_.begin(), found_.end(), is_of_command);
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const {
    throw ExitError(exit_usage, name_ + ": " + text);
  }

  void take(const std::string& command, const std::string& option, const ordered_json& value) {
    Default read{command, option, {}, value.is_boolean(), name_, !may_set(command, option)};
    if (value.is_array())
      for (const ordered_json& each : value) read.values.push_back(plain(option, each));
    else if (!value.is_boolean())
      read.values.push_back(plain(option, value));
    else if (value.get<bool>())
      read.values.emplace_back("true");
    found_.push_back(std::move(read));
  }

  bool may_set(const std::string& command, const std::string& option) const {
    if (is_of_user_) return true;
    return (command.empty() || is_common(command)) &&
           std::ranges::find(options_of_folder, option) != options_of_folder.end();
  }

  std::string plain(const std::string& option, const ordered_json& value) const {
    if (!value.is_string() && !value.is_number())
      refuse(option + ": wanted a text, a number, a list of texts, true or false");
    return text_of(value);
  }

  std::string name_;
  bool is_of_user_;
  std::vector<Default> found_;
};

std::string text_in(int file, const std::string& name) {
  std::string text(most_file_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw ExitError(exit_usage, name + ": " + base::system_text(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > most_file_bytes) throw ExitError(exit_usage, name + ": larger than 1 MiB");
  text.resize(size);
  return text;
}

bool is_own(const struct stat& facts) {
  return facts.st_uid == ::geteuid() || facts.st_uid == 0;
}

// Who may put a file, a link or a pipe into a shared folder stops nobody who works there.
bool is_of_stranger(const DefaultSources& sources, const fs::path& file) {
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0 || is_own(facts)) return false;
  if (sources.warn) sources.warn(file.string() + ": another user's; defaults are not taken from it");
  return true;
}

std::string digest_of(const std::string& name, const std::string& text) {
  base::Blake2b hash;
  hash.update(name + '\0');
  hash.update(text);
  return hash.hex();
}

std::vector<Default> defaults_of(const std::string& name, const std::string& text, bool is_of_user) {
  std::vector<Default> defaults = DefaultsFile(name, is_of_user).read(text);
  if (!is_of_user)
    for (Default& each : defaults) each.digest = digest_of(name, text);
  return defaults;
}

// What was looked at is what is read, whatever others do to the folder meanwhile.
std::vector<Default> read_file(const fs::path& file, bool is_of_user) {
  if (file.empty()) return {};
  const std::string name = file.string();
  const int no_link = is_of_user ? 0 : O_NOFOLLOW;
  const base::FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | no_link));
  struct stat facts {};
  if (!opened) {
    const int error = errno;
    if (::lstat(file.c_str(), &facts) != 0) return {};  // Not there, or in a folder that is closed to us.
    if (!is_of_user && error == ELOOP)
      throw ExitError(exit_usage, name + ": a symbolic link; defaults are not taken from it");
    throw ExitError(exit_usage, name + ": " + base::system_text(error));
  }
  if (::fstat(opened.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    throw ExitError(exit_usage, name + ": no file");
  if (!is_own(facts) || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw ExitError(exit_usage,
                    name + ": others can write it, or it is another user's; defaults are not taken from it");
  return defaults_of(name, text_in(opened.get(), name), is_of_user);
}

/// "ADARUN_SSH_CONFIG=f" -> ssh-config.
std::optional<Default> default_in(const std::string& variable) {
  const std::size_t equals = variable.find('=');
  if (!variable.starts_with(prefix) || equals == std::string::npos) return std::nullopt;
  const std::string name = variable.substr(0, equals);
  std::string option = name.substr(prefix.size());
  std::ranges::transform(option, option.begin(),
                         [](unsigned char c) { return c == '_' ? '-' : static_cast<char>(std::tolower(c)); });
  return Default{"", option, {variable.substr(equals + 1)}, false, name};
}

}  // namespace

DefaultSources default_sources() {
  DefaultSources sources{[](const char* name) { return std::getenv(name); }, {}, fs::current_path()};
  for (char** each = environ; *each != nullptr; ++each) sources.environment.emplace_back(*each);
  return sources;
}

bool Default::is_of(const std::string& name) const {
  return command.empty() ? is_common(name) : command == name;
}

fs::path file_of_user(const DefaultSources& sources) {
  const char* config = sources.variable("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fs::path(config) / "adarun/config.json";
  const char* home = sources.variable("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".config/adarun/config.json" : fs::path();
}

std::vector<Default> defaults_in(const std::string& json, const std::string& source) {
  return DefaultsFile(source, true).read(json);
}

std::vector<Default> read_defaults(const DefaultSources& sources) {
  std::vector<Default> all;
  if (sources.variable("ADARUN_JOB_ID") == nullptr)
    for (const std::string& variable : sources.environment)
      if (auto read = default_in(variable)) all.push_back(std::move(*read));
  fs::path file_of_folder = sources.folder.empty() ? fs::path() : sources.folder / ".adarun.json";
  if (is_of_stranger(sources, file_of_folder)) file_of_folder.clear();
  for (const auto& [file, is_of_user] :
       {std::pair(file_of_folder, false), std::pair(file_of_user(sources), true)})
    for (Default& read : read_file(file, is_of_user)) all.push_back(std::move(read));
  std::vector<Default> first;
  for (Default& each : all) {
    const bool is_known = std::ranges::any_of(first, [&](const Default& other) {
      return other.option == each.option && other.command == each.command;
    });
    if (!is_known) first.push_back(std::move(each));
  }
  return first;
}

}  // namespace adarun::cli
