// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <span>
#include <sstream>
#include <string_view>

#include "cli/arguments/command.h"
#include "cli/arguments/option_values.h"
#include "cli/arguments/peer_options.h"
#include "cli/arguments/typed_words.h"
#include "cli/arguments/variables.h"

namespace adarun::cli {
namespace {

// torchrun's 0 to 3: none, stdout, stderr, both.
bool is_redirect(const std::string& value) {
  return value.size() == 1 && value[0] >= '0' && value[0] <= '3';
}

bool begins_with_name(const std::string& value) {
  return is_variable_name(value.substr(0, value.find('=')));
}

bool is_file_here(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool is_program_here(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  return false;
}

// What to say of an option of ours that has the name of another launcher's option, and a value that only that
// one takes: `-e err-%t` of srun (here -e is --env), `-r 3` of torchrun (here -r is the rank table), if no
// file has that name, `--mpi pmix` of srun, `-v /a:/b` of docker. Empty: nothing.
std::string misread_value(std::string_view name, const std::string& value) {
  if (name == "-e" && !value.empty() && !begins_with_name(value))
    return "-e: \"" + value +
           "\": no NAME=VALUE, which -e has here; for srun's -e, wanted --log-dir DIR, which gets a "
           "worker_<rank>.log of each rank";
  if (name == "--mpi" && value.starts_with("pmi"))
    return "--mpi: \"" + value +
           "\": not needed: PMIx and PMI are there for programs that use them; --mpi on wants PMIx on each "
           "node";
  if (name == "-v" && value.find(":/") != std::string::npos)
    return "-v: is --verbose here; docker's -v is not needed: ranks see the files of their node, --stage "
           "FILE brings more";
  if (name == "-r" && is_redirect(value) && !is_file_here(value))
    return "-r: no rank table \"" + value +
           "\" is here; torchrun's -r is not needed: what ranks print is in log_output/worker_<rank>.log "
           "(--log-dir DIR)";
  return {};
}

// See CommandLine::if_not_found: `own` ends with the option, `trailing` begins with the word.
std::string misread_program(const std::vector<std::string>& own, const std::vector<std::string>& trailing) {
  if (own.empty() || own.back() != "-q" || trailing.empty() || is_program_here(trailing.front())) return {};
  return "-q is --quiet here, and \"" + trailing.front() +
         "\" behind it the program; for srun's -q, ask salloc or sbatch for nodes";
}

using Words = std::span<const std::string>;

/// Reads words one after the other.
class WordReader {
 public:
  explicit WordReader(const CLI::App& app) : launch_(command_named(app, "launch")), command_(&app) {}

  CommandLine read(Words words) {
    while (!words.empty() && !is_at_program(words.front())) {
      const std::size_t taken = is_option(words.front()) ? take_option(words) : take_word(words.front());
      words = words.subspan(taken);
    }
    const bool has_dashes = !words.empty() && words.front() == "--";
    if (!has_dashes && std::ranges::find(words, "--") != words.end())
      refuse_word_before_dashes(words.front());
    if (!is_without_program()) line_.trailing.assign(words.begin() + (has_dashes ? 1 : 0), words.end());
    if (!has_dashes) line_.if_not_found = misread_program(line_.own, line_.trailing);
    return !has_dashes && has_colon_programs(line_) ? with_roles(std::move(line_)) : std::move(line_);
  }

 private:
  bool is_at_program(const std::string& word) const {
    const bool takes_word = command_ == launch_ || (takes_launch_lines() && !is_without_program());
    return word == "--" || (takes_word && !is_option(word));
  }

  // Whether a line of launch may stand behind the command, which reads of it what it knows.
  bool takes_launch_lines() const {
    const CLI::App* around = command_->get_parent();
    const bool is_script = around != nullptr && around->get_name() == "script";
    return is_script || command_->get_name() == "check" || is_without_program();
  }
  bool is_without_program() const { return command_->get_name() == "gen"; }

  // Behind an unknown option it is that option's value; CLI11 refuses the option.
  void refuse_word_before_dashes(const std::string& word) const {
    if (is_behind_unknown_option_) return;
    if (word.empty()) refuse_empty(command_->get_name() + ": an argument");
    throw ExitError(exit_usage, command_->get_name() + ": \"" + word +
                                    "\": a word before --; hosts go behind --hosts, the program behind --");
  }

  [[noreturn]] static void refuse_empty(const std::string& what) {
    throw ExitError(exit_usage, what + " is an empty word (a variable that is not set?)");
  }

  std::size_t take_word(const std::string& word) {
    const bool may_be_place = takes_job() || command_->get_option_no_throw("places") != nullptr;
    if (word.empty() && !may_be_place) refuse_empty(command_->get_name() + ": an argument");
    if (const CLI::App* inner = command_named(*command_, word)) command_ = inner;
    line_.own.push_back(word);
    return 1;
  }

  /// Takes an option and its value; returns how many words they are.
  std::size_t take_option(Words words) {
    const std::string& word = words.front();
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = option_named(command_, name);
    is_behind_unknown_option_ = false;
    refuse_misread_value(words, name);
    if (option == nullptr && takes_peer_options())
      if (const auto peer = find_peer_option(name)) return take_peer(*peer, words);
    if (option == nullptr && takes_launch_lines())
      if (const std::size_t skipped = words_of_launch(words, name); skipped > 0) return skipped;
    if (option == nullptr && names_job(name)) return take_job(words, name);
    if (is_variable(option, words)) return take_as("--env", words);
    if (takes_peer_options() && is_flag_of_horovodrun(words)) return take_as("--mpi=on", words);
    line_.own.push_back(word);
    is_behind_unknown_option_ = option == nullptr && (word.starts_with("--") || word.size() == 2);
    return option == nullptr || option->get_expected_max() == 0 ? 1 : take_value(words, *option);
  }

  // The value of the option in front, behind its '=' or as a word of its own.
  std::size_t take_value(Words words, const CLI::Option& option) {
    const std::size_t equals = words.front().find('=');
    const bool is_attached = equals != std::string::npos;
    if (!is_attached && !has_word_behind(words)) return 1;
    if (is_attached ? equals + 1 == words.front().size() : words[1].empty())
      refuse_empty(words.front().substr(0, equals) + ": its value");
    if (is_attached || !takes_value(option)) return 1;
    line_.own.push_back(words[1]);
    return 2;
  }

  bool takes_job() const {
    return command_->get_option_no_throw("job") != nullptr ||
           command_->get_option_no_throw("place") != nullptr;
  }

  // The options of launch that name a job, for commands that take one as an argument.
  bool names_job(const std::string& name) const {
    return takes_job() && (name == "--name" || name == "--log-dir");
  }

  // An unset variable is no job: the next option would be taken for its name.
  std::size_t take_job(Words words, const std::string& name) {
    const std::size_t equals = words.front().find('=');
    const bool is_attached = equals != std::string::npos;
    const std::string job = is_attached              ? words.front().substr(equals + 1)
                            : has_word_behind(words) ? words[1]
                                                     : std::string();
    if (job.empty() || is_option(job))
      throw ExitError(exit_usage, name + ": wanted a job behind it (a variable that is not set?)");
    line_.own.push_back(job);
    return is_attached ? 1 : 2;
  }

  // Tables and scripts without these would be those of another job.
  static bool decides_ranks(const CLI::Option* option) {
    constexpr std::array names{"--ranks", "--nproc-per-node", "--nnodes", "--standalone", "--spec", "--role"};
    return std::any_of(names.begin(), names.end(),
                       [option](const char* name) { return option->check_name(name); });
  }

  // How many words an option of launch is that this command does not have; 0: launch does not have it either.
  std::size_t words_of_launch(Words words, const std::string& name) const {
    const CLI::Option* option = launch_ == nullptr ? nullptr : option_named(launch_, name);
    if (option == nullptr || (command_->get_name() != "check" && decides_ranks(option))) return 0;
    const bool has_value = takes_value(*option) && words.front().find('=') == std::string::npos;
    return has_value && has_word_behind(words) ? 2 : 1;
  }

  bool takes_peer_options() const { return is_option_of("--hosts") && is_option_of("--workdir"); }
  bool is_option_of(const std::string& name) const { return option_named(command_, name) != nullptr; }

  // mpirun's -x NAME=VALUE and -x NAME: no host that -x could leave out has a "=", or a "_" between capitals;
  // few have the name of a variable that is set here, in capitals or with a "_".
  bool is_variable(const CLI::Option* option, Words words) const {
    const bool may_be_one = is_option_of("--env") || takes_launch_lines();
    if (option == nullptr || words.front() != "-x" || words.size() < 2 || !may_be_one) return false;
    const std::string& word = words[1];
    if (word.find('=') != std::string::npos) return true;
    const bool has_underscore = word.find('_') != std::string::npos;
    const bool is_in_capitals =
        word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
    if (has_underscore && is_in_capitals) return true;
    return (has_underscore || is_in_capitals) && std::getenv(word.c_str()) != nullptr;
  }

  // "-r 3", "-r=3", "-r3".
  void refuse_misread_value(Words words, const std::string& name) const {
    const std::string& word = words.front();
    const bool attached = !word.starts_with("--") && name == word && name.size() > 2;
    const std::string value = attached                    ? word.substr(2)
                              : name.size() < word.size() ? word.substr(name.size() + 1)
                              : has_word_behind(words)    ? words[1]
                                                          : std::string();
    const std::string said =
        takes_peer_options() ? misread_value(attached ? word.substr(0, 2) : name, value) : std::string();
    if (!said.empty()) throw ExitError(exit_usage, said);
  }

  // horovodrun's --mpi has no value.
  static bool is_flag_of_horovodrun(Words words) {
    return words.front() == "--mpi" && words.size() > 1 && is_option(words[1]);
  }

  static bool has_word_behind(Words words) { return words.size() > 1 && words[1] != "--"; }

  std::size_t take_peer(const PeerOption& peer, Words words) {
    switch (peer.kind) {
      case PeerOption::Kind::synonym:
        return take_as(std::string(peer.own), words);
      case PeerOption::Kind::variable:
        if (words.size() > 1 && words[1].find('=') != std::string::npos) {
          take_variable(std::string(peer.own) + words[1]);
          return 2;
        }
        if (words.size() < 3) break;
        take_variable(std::string(peer.own) + words[1] + "=" + words[2]);
        return 3;
      case PeerOption::Kind::needless:
        if (words.front().ends_with("=0"))
          throw ExitError(exit_usage,
                          words.front() + ": the first rank that fails ends the job, unless --min-ranks N");
        return 1;
      case PeerOption::Kind::refused:
        throw ExitError(exit_usage, std::string(peer.name) + ": " + std::string(peer.own));
    }
    throw ExitError(exit_usage, std::string(peer.name) + ": wanted a name and a value behind it");
  }

  void take_variable(const std::string& assignment) {
    if (is_option_of("--env")) line_.own.insert(line_.own.end(), {"--env", assignment});
  }

  /// Takes the option in front under another name, with its value; of a line of launch only what the command
  /// knows.
  std::size_t take_as(const std::string& own, Words words) {
    if (const std::size_t skipped = is_option_of(own) ? 0 : words_of_launch(words, own); skipped > 0)
      return skipped;
    const std::size_t equals = words.front().find('=');
    const CLI::Option* option = option_named(command_, own);
    line_.own.push_back(own);
    if (option == nullptr || !takes_value(*option)) return 1;
    if (equals != std::string::npos) line_.own.push_back(words.front().substr(equals + 1));
    return take_value(words, *option);
  }

  const CLI::App* launch_;
  const CLI::App* command_;
  bool is_behind_unknown_option_ = false;
  CommandLine line_;
};

using Program = std::vector<std::string>;

constexpr std::size_t most_ranks_of_program = std::size_t{1} << 20U;

[[noreturn]] void refuse_colon(const std::string& found) {
  throw ExitError(exit_usage,
                  "\":\": " + found +
                      ": wanted -n N and a program on each side, as in -n 1 ./server : -n 3 ./worker; a "
                      "program with such a word has -- before it");
}

bool is_count_option(const std::string& word) {
  constexpr std::array<std::string_view, 5> names{"-n", "-np", "--n", "--np", "--ranks"};
  return std::ranges::find(names, word) != names.end();
}

std::size_t count_in(const std::string& text) {
  const auto count = parse_whole<std::size_t>(text);
  if (!count || *count == 0 || *count > most_ranks_of_program) refuse_colon("-n \"" + text + "\"");
  return *count;
}

std::vector<Program> parts_of(const std::vector<std::string>& words) {
  std::vector<Program> parts;
  for (auto begin = words.begin();;) {
    const auto end = std::find(begin, words.end(), ":");
    parts.emplace_back(begin, end);
    if (end == words.end()) return parts;
    begin = std::next(end);
  }
}

// Takes "-n N" from the front of a program behind ":".
std::size_t take_count(Program& part) {
  if (part.empty()) refuse_colon("nothing behind it");
  if (!is_count_option(part.front()) || part.size() < 2) refuse_colon("\"" + part.front() + "\" behind it");
  const std::size_t count = count_in(part[1]);
  part.erase(part.begin(), part.begin() + 2);
  if (part.empty()) refuse_colon("no program behind -n");
  if (part.front().starts_with('-')) refuse_colon("\"" + part.front() + "\" before a program");
  return count;
}

// Takes the last "-n 4", "-n4" or "--ranks=4" out of the options of the command line.
std::string take_total(std::vector<std::string>& own) {
  for (std::size_t i = own.size(); i > 0; --i) {
    const auto at = own.begin() + static_cast<std::ptrdiff_t>(i - 1);
    const std::size_t equals = at->find('=');
    std::string count;
    if (is_count_option(*at) && i < own.size()) {
      count = own[i];
      own.erase(at, at + 2);
    } else if (equals != std::string::npos && is_count_option(at->substr(0, equals))) {
      count = at->substr(equals + 1);
      own.erase(at);
    } else if (at->starts_with("-n") && at->size() > 2 &&
               std::isdigit(static_cast<unsigned char>((*at)[2])) != 0) {
      count = at->substr(2);
      own.erase(at);
    } else {
      continue;
    }
    return count;
  }
  refuse_colon("no -n before the first program");
}

// "app1=4-7", and where the next one begins.
std::string role_text(std::size_t number, std::size_t& first, std::size_t count) {
  std::string text = "app" + std::to_string(number) + "=" + std::to_string(first);
  first += count;
  return count == 1 ? text : text + "-" + std::to_string(first - 1);
}

}  // namespace

CommandLine take_apart(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const Words behind = Words(words).subspan(1);
  if (words.front() == "version" && behind.empty()) return {{"--version"}, {}, {}};
  if (words.front() == "help") {
    CommandLine line{{behind.begin(), behind.end()}, {}, {}};
    if (behind.empty() || command_named(app, behind.front()) != nullptr) line.own.emplace_back("--help");
    return line;
  }
  return WordReader(app).read(words);
}

bool has_colon_programs(const CommandLine& line) {
  return std::ranges::find(line.trailing, ":") != line.trailing.end();
}

CommandLine with_roles(CommandLine line) {
  const std::string first_count = take_total(line.own);
  std::vector<Program> parts = parts_of(line.trailing);
  if (parts.front().empty()) refuse_colon("nothing before it");
  std::size_t next_rank = 0;
  const std::string first_role = role_text(0, next_rank, count_in(first_count));
  line.trailing = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::size_t count = take_count(parts[i]);
    line.trailing.insert(line.trailing.end(), {"--role", role_text(i, next_rank, count), "--"});
    line.trailing.insert(line.trailing.end(), parts[i].begin(), parts[i].end());
  }
  line.own.insert(line.own.end(), {"--ranks", std::to_string(next_rank), "--role", first_role});
  return line;
}

}  // namespace adarun::cli
