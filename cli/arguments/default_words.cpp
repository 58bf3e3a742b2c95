// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/default_words.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/clean_text.h"
#include "base/file_descriptor.h"
#include "base/nearest_word.h"
#include "base/system_text.h"
#include "cli/arguments/command.h"
#include "cli/arguments/typed_words.h"
#include "launcher/record/job_index.h"

namespace adarun::cli {
namespace {

using Options = std::set<const CLI::Option*>;

// What is asked about one command line.
constexpr std::array<std::string_view, 5> never_defaults{"help", "help-all", "print-spec", "spec", "version"};

bool is_never_default(const std::string& option) {
  return std::ranges::find(never_defaults, option) != never_defaults.end();
}

Options options_in(const std::vector<std::string>& words, const CLI::App& command) {
  Options given;
  for (const std::string& word : words)
    if (is_option(word)) given.insert(option_named(&command, word.substr(0, word.find('='))));
  return given;
}

bool is_usable(const CLI::Option& option, const Options& given) {
  const auto is_given = [&](const CLI::Option* each) { return given.contains(each); };
  const auto excluded = option.get_excludes();
  return !is_given(&option) && std::ranges::none_of(excluded, is_given);
}

bool has_what_it_needs(const CLI::Option& option, const Options& given) {
  return std::ranges::all_of(option.get_needs(),
                             [&](const CLI::Option* each) { return given.contains(each); });
}

bool is_on(const Default& of, const std::string& value) {
  std::string word = value;
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* on : {"true", "1", "yes", "on"})
    if (word == on) return true;
  for (const char* off : {"false", "0", "no", "off", ""})
    if (word == off) return false;
  throw ExitError(exit_usage, of.source + ": " + of.option + ": \"" + value + "\": wanted true or false");
}

// An option that may go without its value has the one that is given; true stands for none. An empty
// variable sets none, as false does in a file.
std::vector<std::string> words_of(const Default& from, const CLI::Option& option) {
  const bool is_switch = option.get_expected_max() == 0;
  const bool has_value = takes_value(option) || (!is_switch && !from.is_flag);
  std::vector<std::string> words;
  for (const std::string& value : from.values) {
    if (is_switch && !is_on(from, value)) continue;
    if (has_value && value.empty() && from.is_of_variable()) continue;
    if (has_value && value.empty())
      throw ExitError(exit_usage,
                      from.source + ": " + from.option + ": its value is an empty word; false sets none");
    words.push_back("--" + from.option);
    if (has_value) words.push_back(value);
  }
  return words;
}

std::vector<std::string> options_for(const CLI::App& app, const Default& of) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    for (const CLI::Option* option : command->get_options())
      if (of.is_of(command->get_name()))
        for (const std::string& name : option->get_lnames())
          if (!is_never_default(name)) names.push_back(name);
  return names;
}

std::string refusal_of(const CLI::App& app, const Default& of) {
  if (is_never_default(of.option))
    return of.source + ": " + of.option + ": of a command line, and no default";
  const std::string meant = base::nearest_word(of.option, options_for(app, of));
  return of.source + ": " + of.option + ": no option of " +
         (of.command.empty() ? "launch, train or check" : of.command) +
         (meant.empty() || meant == of.option ? "" : "; did you mean " + meant + "?");
}

bool takes_several(const CLI::Option& option) {
  return takes_value(option) && (option.get_expected_max() > 1 ||
                                 option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll);
}

auto place_of_command(const CLI::App& app, std::vector<std::string>& words) {
  return std::ranges::find_if(
      words, [&app](const std::string& word) { return command_named(app, word) != nullptr; });
}

// Of whole words: none of them is being typed.
TypedWords whole_words(const CLI::App& app, std::vector<std::string> words) {
  words.emplace_back();
  return read_typed_words(app, words);
}

// It is not for a job of roles.
void drop_min_nodes(std::vector<Default>& defaults) {
  std::erase_if(defaults, [](const Default& each) { return each.option == "min-nodes"; });
}

namespace fs = std::filesystem;

constexpr std::array place_options{"hosts", "rank-table", "user", "port", "spare"};
constexpr std::array options_with_own_data{"env", "env-file", "stage"};

// What of the user's would leave this machine: "--env"; empty: nothing.
std::string own_data_in(const CLI::App& app, const std::vector<std::string>& words, const SpecFile* spec) {
  const TypedWords typed = whole_words(app, words);
  for (const char* option : options_with_own_data)
    if (typed.values.contains(option)) return std::string("--") + option;
  const bool has_variables =
      spec != nullptr && std::ranges::any_of(spec->roles.roles, [](const launcher::Role& role) {
        return !role.environment.empty();
      });
  return has_variables ? "env of a role" : "";
}

std::string option_text(const Default& of) {
  std::string text = "--" + of.option;
  for (const std::string& value : of.values) text += " " + value;
  return text;
}

bool is_allowed(const fs::path& folder, const std::string& digest) {
  struct stat facts {};
  return !folder.empty() && ::lstat((folder / digest).c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         facts.st_uid == ::geteuid();
}

}  // namespace

bool takes_defaults(const CLI::App& app, const std::vector<std::string>& words) {
  static const std::set<std::string> help{"-h", "--help", "--help-all"};
  static const std::set<std::string> without{"complete", "config", "demo-rank", "man-pages"};
  return !without.contains(whole_words(app, words).command->get_name()) &&
         std::ranges::none_of(words, [](const std::string& word) { return help.contains(word); });
}

bool takes_defaults_of_folder(const CLI::App& app, const std::vector<std::string>& words) {
  return Default().is_of(whole_words(app, words).command->get_name());
}

bool is_known(const CLI::App& app, const Default& of) {
  const std::vector<std::string> names = options_for(app, of);
  return std::ranges::find(names, of.option) != names.end();
}

void require_known(const CLI::App& app, const std::vector<Default>& defaults) {
  for (const Default& each : defaults) {
    if (is_known(app, each) && each.is_refused)
      throw ExitError(exit_usage,
                      each.source + ": " + (each.command.empty() ? "" : each.command + ": ") + each.option +
                          ": not taken from a folder's file, only from the user's (adarun config names it)");
    if (!each.is_of_file() || is_known(app, each)) continue;
    throw ExitError(exit_usage, refusal_of(app, each));
  }
}

std::shared_ptr<const SpecFile> take_spec(const CLI::App& app, std::vector<std::string>& words,
                                          std::vector<Default>& defaults) {
  const TypedWords typed = whole_words(app, words);
  if (typed.command->get_name() != "launch") return nullptr;
  if (typed.values.contains("role")) drop_min_nodes(defaults);
  const auto file = typed.values.find("spec");
  if (file == typed.values.end()) return nullptr;
  const auto spec = std::make_shared<SpecFile>(read_spec(file->second));
  std::vector<std::string> lists;
  std::vector<Default> single;
  for (const Default& each : spec->options) {
    const CLI::Option* option = option_named(typed.command, "--" + each.option);
    if (option == nullptr) throw ExitError(exit_usage, refusal_of(app, each));
    if (takes_several(*option)) {
      std::ranges::copy(words_of(each, *option), std::back_inserter(lists));
    } else {
      single.push_back(each);
      single.back().is_of_spec = true;
    }
  }
  words.insert(place_of_command(app, words) + 1, lists.begin(), lists.end());
  if (!spec->roles.roles.empty()) drop_min_nodes(defaults);
  defaults.insert(defaults.begin(), single.begin(), single.end());
  return spec;
}

std::vector<Default> add_defaults(const CLI::App& app, std::vector<std::string>& words,
                                  const std::vector<Default>& defaults) {
  const auto place = place_of_command(app, words);
  if (place == words.end()) return {};
  const CLI::App& command = *command_named(app, *place);
  Options given = options_in(words, command);
  Options decided = given;  // Also those that a default switches off.
  std::vector<std::pair<const Default*, const CLI::Option*>> used;
  for (const Default& each : defaults) {
    if (!each.is_of(command.get_name())) continue;
    const CLI::Option* option =
        is_never_default(each.option) ? nullptr : option_named(&command, "--" + each.option);
    if (option == nullptr || !is_usable(*option, given) || !decided.insert(option).second) continue;
    if (words_of(each, *option).empty()) continue;
    given.insert(option);
    used.emplace_back(&each, option);
  }
  std::vector<std::string> added;
  std::vector<Default> taken;
  for (const auto& [each, option] : used) {
    if (!each->is_of_spec && !has_what_it_needs(*option, given)) continue;
    std::ranges::copy(words_of(*each, *option), std::back_inserter(added));
    taken.push_back(*each);
  }
  words.insert(place + 1, added.begin(), added.end());
  return taken;
}

fs::path folder_of_allowed() {
  const fs::path jobs = launcher::job_index();
  return jobs.empty() ? fs::path() : jobs.parent_path() / "allowed";
}

void allow_defaults(const fs::path& folder, const std::string& digest, const std::string& file) {
  if (folder.empty()) throw ExitError(exit_failed, "--allow: no folder for it; set HOME or XDG_STATE_HOME");
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path path = folder / digest;
  const base::FileDescriptor made(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  const int reason = errno;
  if (!made && !is_allowed(folder, digest))
    throw ExitError(exit_failed, path.string() + ": cannot write: " + base::system_text(reason));
  const std::string text = file + "\n";
  if (made && ::write(made.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw ExitError(exit_failed, path.string() + ": cannot write: " + base::system_text(errno));
}

std::vector<Default> places_of_folder(const std::vector<Default>& defaults) {
  std::vector<Default> places;
  for (const Default& each : defaults)
    if (!each.digest.empty() && std::ranges::find(place_options, each.option) != place_options.end())
      places.push_back(each);
  return places;
}

void check_folder_defaults(const CLI::App& app, const std::vector<std::string>& words,
                           const std::vector<Default>& used, const SpecFile* spec, const fs::path& allowed,
                           base::Log& log) {
  const std::vector<Default> places = places_of_folder(used);
  if (places.empty()) return;
  const std::string& file = places.front().source;
  std::string options;
  for (const Default& each : places) options += (options.empty() ? "" : ", ") + option_text(each);
  const std::string data = own_data_in(app, words, spec);
  if (!data.empty() && !is_allowed(allowed, places.front().digest))
    throw ExitError(exit_usage,
                    base::clean_line(file + ": sets where this job runs: " + options + "; with " + data +
                                     ", data of yours would go there: adarun config --allow allows this "
                                     "file as it is now"));
  log.warning(base::clean_line(file + ": sets where this job runs: " + options));
}

}  // namespace adarun::cli
