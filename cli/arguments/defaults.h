// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace adarun::cli {

/// A value of an option that holds where the command line does not give it.
struct Default {
  std::string command;  ///< Empty: of launch, train and check.
  std::string option;   ///< Long name without dashes: "ssh-config".
  std::vector<std::string> values;
  bool is_flag = false;  ///< Given as true or false; `values` then holds "true" or nothing.
  std::string source;    ///< The file or variable that sets it.

  /// It is in a folder's file, which may not set it. require_known() says so.
  bool is_refused = false;

  /// It is of the file of --spec: used even if it needs an option that is not there, which is then refused.
  bool is_of_spec = false;

  /// Of a folder's file: identifies its path and its content, as 64 hexadecimal digits.
  std::string digest = {};

  /// Whether it is of the command of that name.
  bool is_of(const std::string& name) const;
  bool is_of_file() const { return source.find('/') != std::string::npos; }
  bool is_of_variable() const { return source.starts_with("ADARUN_"); }
  bool operator==(const Default&) const = default;
};

/// Where defaults are looked up.
struct DefaultSources {
  std::function<const char*(const char*)> variable;   ///< getenv(), or the test's.
  std::vector<std::string> environment;               ///< "NAME=VALUE", all of it.
  std::filesystem::path folder;                       ///< The current one; empty: its file is not read.
  std::function<void(const std::string&)> warn = {};  ///< Is told of a folder's file that is not used.
};

/// Those of this process.
DefaultSources default_sources();

/// The user's file of defaults: `$XDG_CONFIG_HOME/adarun/config.json`, by default
/// `~/.config/adarun/config.json`; empty without a home.
std::filesystem::path file_of_user(const DefaultSources& sources);

/// The options in the text of such a file, each with `source`: those of one command come before those of
/// several. Throws ExitError with exit_usage that names it.
std::vector<Default> defaults_in(const std::string& json, const std::string& source);

/// The defaults that hold, of several for an option the first: variables ADARUN_<OPTION> (not within a rank
/// of a job, where adarun itself sets some), `.adarun.json` in the current folder, the user's file.
///
/// Files are JSON objects: names of options with a text, a number, a list of texts, true or false; under the
/// name of a command, an object of them for this command alone; "$schema", for editors, is skipped. The files
/// must belong to the user or root and be writable by nobody else; another user's in the folder, which may be
/// a shared one, is left out with a warning. The file of the folder, which may be somebody else's work, must
/// be no symbolic link, and sets only options of launch, train and check that say where and how ranks run:
/// none that names programs, keys, variables or files other than host lists, the rank table and the log
/// folder. Throws ExitError with exit_usage that names file and option.
std::vector<Default> read_defaults(const DefaultSources& sources);

}  // namespace adarun::cli
