// SPDX-License-Identifier: Apache-2.0
#include "cli/options/defaults.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/read_text.h"
#include "cli/options/command.h"

namespace adarun::cli {

const std::vector<std::string> options_of_user{"agent", "env",        "env-file", "host-key", "identity",
                                               "map",   "ssh-config", "stage",    "trainer",  "via"};

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uintmax_t most_file_bytes = 1U << 20U;
constexpr std::string_view prefix = "ADARUN_";
constexpr std::array common_commands{"launch", "train", "check"};

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Reads one file of defaults.
class DefaultsFile {
 public:
  DefaultsFile(std::string name, bool is_of_user) : name_(std::move(name)), is_of_user_(is_of_user) {}

  std::vector<Default> read() {
    const ordered_json file = ordered_json::parse(base::read_text(name_), nullptr, false);
    if (!file.is_object()) refuse("wanted a JSON object");
    for (const auto& [key, value] : file.items()) {
      if (!value.is_object()) take("", key, value);
      if (value.is_object())
        for (const auto& [option, of_command] : value.items()) take(key, option, of_command);
    }
    return std::move(found_);
  }

 private:
  [[noreturn]] void refuse(const std::string& text) const { throw Quit(exit_usage, name_ + ": " + text); }

  void take(const std::string& command, const std::string& option, const ordered_json& value) {
    if (!is_of_user_ && std::ranges::find(options_of_user, option) != options_of_user.end())
      refuse(option + ": not taken from a folder's file, only from the user's (adarun config names it)");
    Default read{command, option, {}, value.is_boolean(), name_};
    if (value.is_array())
      for (const ordered_json& each : value) read.values.push_back(plain(option, each));
    else if (!value.is_boolean())
      read.values.push_back(plain(option, value));
    else if (value.get<bool>())
      read.values.emplace_back("true");
    found_.push_back(std::move(read));
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

std::vector<Default> read_file(const fs::path& file, bool is_of_user) {
  struct stat facts {};
  if (file.empty() || ::stat(file.c_str(), &facts) != 0) return {};
  const std::string name = file.string();
  if (!S_ISREG(facts.st_mode) || static_cast<std::uintmax_t>(facts.st_size) > most_file_bytes)
    throw Quit(exit_usage, name + ": no file, or larger than 1 MiB");
  const bool is_own = facts.st_uid == ::geteuid() || facts.st_uid == 0;
  if (!is_own || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    throw Quit(exit_usage,
               name + ": others can write it, or it is another user's; defaults are not taken from it");
  return DefaultsFile(name, is_of_user).read();
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
  return command.empty() ? std::ranges::find(common_commands, name) != common_commands.end()
                         : command == name;
}

fs::path file_of_user(const DefaultSources& sources) {
  const char* config = sources.variable("XDG_CONFIG_HOME");
  if (config != nullptr && *config == '/') return fs::path(config) / "adarun/config.json";
  const char* home = sources.variable("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".config/adarun/config.json" : fs::path();
}

std::vector<Default> read_defaults(const DefaultSources& sources) {
  std::vector<Default> all;
  if (sources.variable("ADARUN_JOB_ID") == nullptr)
    for (const std::string& variable : sources.environment)
      if (auto read = default_in(variable)) all.push_back(std::move(*read));
  for (const auto& [file, is_of_user] :
       {std::pair(sources.folder / ".adarun.json", false), std::pair(file_of_user(sources), true)})
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
