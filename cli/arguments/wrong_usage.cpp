// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/wrong_usage.h"

#include <CLI/CLI.hpp>
#include <set>

#include "base/nearest_word.h"
#include "cli/arguments/peer_options.h"
#include "cli/arguments/typed_words.h"

namespace adarun::cli {
namespace {

// Compares exit codes, because the error's name does not always match its kind.
bool is(const CLI::ParseError& wrong, CLI::ExitCodes kind) {
  return wrong.get_exit_code() == static_cast<int>(kind);
}

/// The commands that were recognized, such as ranktable and gen, outermost first.
std::vector<const CLI::App*> understood(const CLI::App& app) {
  std::vector<const CLI::App*> commands{&app};
  while (!commands.back()->get_subcommands().empty())
    commands.push_back(commands.back()->get_subcommands().front());
  return commands;
}

std::string full_name(const std::vector<const CLI::App*>& commands) {
  std::string name;
  for (const CLI::App* command : commands) name += (name.empty() ? "" : " ") + command->get_name();
  return name;
}

// CLI11 has taken the first letter of a word such as -verbose for an option.
bool is_rest_of(const std::string& left, const std::string& argument) {
  return left.size() > 1 && left[0] == '-' && argument.starts_with('-') && !argument.starts_with("--") &&
         argument.size() > left.size() && argument.ends_with(left.substr(1));
}

/// The first of `arguments` that no command accepted, or not all of it; empty if all were accepted.
std::string stray_word(const std::vector<const CLI::App*>& commands,
                       const std::vector<std::string>& arguments) {
  std::set<std::string> left;
  for (const CLI::App* command : commands)
    for (const std::string& word : command->remaining()) left.insert(word);
  for (const std::string& argument : arguments)
    if (left.count(argument) != 0) return argument;
  for (const std::string& argument : arguments)
    for (const std::string& rest : left)
      if (is_rest_of(rest, argument)) return argument;
  return {};
}

std::vector<std::string> options_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands)
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

std::string perhaps(const std::string& meant) {
  return meant.empty() ? std::string() : "; did you mean " + meant + "?";
}

// For "-r" the command's only option that begins with "--r"; else empty.
std::string option_of_letter(const std::vector<const CLI::App*>& commands, const std::string& option) {
  if (option.size() != 2 || option[1] == '-') return {};
  std::string found;
  for (const std::string& name : options_of({commands.back()})) {
    if (name[2] != option[1]) continue;
    if (!found.empty()) return {};
    found = name;
  }
  return found;
}

// What an option that stands before the command, or is another tool's, was meant to be; empty: unknown.
std::string option_meant(const std::vector<const CLI::App*>& commands, const std::string& option) {
  if (commands.size() == 1) {
    const CLI::App* launch = command_named(*commands[0], "launch");
    const bool is_of_launch = launch != nullptr && option_named(launch, option) != nullptr;
    if (is_of_launch || find_peer_option(option)) return "adarun launch " + option;
  }
  if (commands.back()->get_name() == "prune" && (option == "-f" || option == "--force")) return "--yes";
  const std::string of_letter = option_of_letter(commands, option);
  return of_letter.empty() ? base::nearest_word(option, options_of(commands)) : of_letter;
}

std::string tell_stray(const std::vector<const CLI::App*>& commands, const std::string& word) {
  const CLI::App& command = *commands.back();
  const std::string& name = command.get_name();
  const bool takes_program = commands.size() > 1 && cli::takes_program(commands[1]->get_name());
  if (word.size() > 1 && word[0] == '-') {
    const std::string option = word.substr(0, word.find('='));
    const std::string meant = option_meant(commands, option);
    const bool for_program = meant.empty() && takes_program;
    return option + ": " + name + " has no such option" +
           (for_program ? "; those of the program go behind --" : perhaps(meant));
  }
  if (!commands_of(command).empty()) {
    const std::string like = commands.size() == 1 ? own_command_for(word) : std::string();
    return "\"" + word + "\": " + name + " has no such command" +
           perhaps(like.empty() ? base::nearest_word(word, commands_of(command)) : like);
  }
  if (takes_program) return "\"" + word + "\": the program and its arguments go behind --";
  return "\"" + word + "\": one word too many for " + name;
}

/// Rewords CLI11's messages for a value that is missing, duplicate or not a number; others stay unchanged.
std::string tell_value(const CLI::ParseError& wrong) {
  std::string text = wrong.what();
  const std::string no_number = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (is(wrong, CLI::ExitCodes::ConversionError) && text.starts_with(no_number) &&
      equals != std::string::npos)
    return text.substr(no_number.size(), equals - no_number.size()) + ": \"" + text.substr(equals + 3) +
           "\": wanted a number";
  if (text == "--exclude requires --hosts") return text + "; a variable is passed on by --env NAME";
  const std::string name = text.substr(0, text.find(": "));
  if (is(wrong, CLI::ExitCodes::ArgumentMismatch) && text.ends_with(" missing"))
    return name + ": wanted a value behind it";
  if (is(wrong, CLI::ExitCodes::ArgumentMismatch) && text.find(": At Most 1 ") == name.size())
    return name + ": given more than once";
  return text;
}

}  // namespace

bool takes_program(const std::string& command) {
  static const std::set<std::string> names{"check", "complete", "demo", "launch", "plan", "script", "train"};
  return names.count(command) != 0;
}

std::string wrong_usage(const CLI::App& app, const CLI::ParseError& wrong,
                        const std::vector<std::string>& arguments) {
  const std::vector<const CLI::App*> commands = understood(app);
  const CLI::App& command = *commands.back();
  const std::string stray = stray_word(commands, arguments);
  const bool lacks_command = !commands_of(command).empty();
  if (lacks_command && stray.empty() && is(wrong, CLI::ExitCodes::RequiredError)) return command.help();
  const bool is_stray = !stray.empty() && (lacks_command || is(wrong, CLI::ExitCodes::ExtrasError));
  const std::string said = is_stray ? tell_stray(commands, stray) : tell_value(wrong);
  return "adarun: " + said + " (" + full_name(commands) + " --help)\n";
}

}  // namespace adarun::cli
