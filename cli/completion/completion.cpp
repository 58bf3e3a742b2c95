// SPDX-License-Identifier: Apache-2.0
#include "cli/completion/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <exception>
#include <set>
#include <sstream>

#include "cli/arguments/placement.h"
#include "cli/arguments/wrong_usage.h"
#include "cli/jobs/find_job.h"
#include "launcher/hosts/host_list.h"
#include "launcher/record/job_index.h"
#include "launcher/transport/ssh/config/config.h"

namespace adarun::cli {
namespace {

using Candidates = std::vector<Completion::Candidate>;

void add(Completion& completion, const TypedWords& typed, const std::string& word, const std::string& help) {
  const std::string whole = typed.head + word;
  if (whole.starts_with(typed.head + typed.word)) completion.candidates.push_back({whole, help});
}

// Candidates for the last item of a list; the items before it stay unchanged.
void add_items(Completion& completion, const TypedWords& typed, std::size_t before, const Candidates& items) {
  const std::string begun = typed.word.substr(0, before);
  for (const Completion::Candidate& item : items) add(completion, typed, begun + item.word, item.help);
  completion.open = true;
}

// Where the last item of "node[1,2]:8,gpu" begins.
std::size_t last_host(const std::string& text) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']') --depth;
    if (text[i] == ',' && depth == 0) begin = i + 1;
  }
  return begin;
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

std::string value_of(const TypedWords& typed, const std::string& option) {
  const auto found = typed.values.find(option);
  return found == typed.values.end() ? std::string() : found->second;
}

std::size_t world_of(LaunchOptions where, const std::string& table, const std::string& hosts) {
  where.table_file = table;
  if (table.empty()) where.hosts = hosts;
  return ranktable::device_count(place(where).table);
}

std::size_t world_of(const TypedWords& typed) {
  const std::string table = value_of(typed, "rank-table");
  const std::string hosts = value_of(typed, "hosts");
  if (!table.empty() || !hosts.empty()) return world_of(LaunchOptions{}, table, hosts);
  const std::string place = typed.arguments.empty() ? std::string() : typed.arguments.front();
  if (typed.command->get_name() == "env") return world_of(LaunchOptions{}, place, "");
  return find_job(place.empty() ? std::string("./") + launcher::default_log_dir : place).world_size;
}

// Whether the job runs on this machine, or its supervisor, of which only the newest attempt counts: the
// first one that is asked about. `known`: the supervisors of those before.
bool runs_here(const JobFile& job, std::vector<launcher::SupervisorProcess>& known) {
  if (!is_of_this_machine(job) || !is_in_use(job)) return false;
  if (std::ranges::find(known, job.supervisor) != known.end()) return false;
  known.push_back(job.supervisor);
  return true;
}

// Hosts of a --hosts option typed before, then hosts named in the SSH configuration (that of --ssh-config,
// else the user's). Here and below, what cannot be read is left out.
Candidates known_hosts(const TypedWords& typed) {
  Candidates hosts;
  try {
    const std::string listed = value_of(typed, "hosts");
    if (!listed.empty())
      for (const launcher::Host& host : launcher::read_hosts(listed))
        hosts.push_back({host.name, "of " + listed});
    launcher::SshOptions options;
    options.config_file = value_of(typed, "ssh-config");
    for (const std::string& name : launcher::SshConfig(options).named_hosts())
      hosts.push_back({name, "of the ssh config"});
  } catch (const std::exception&) {
    return hosts;
  }
  return hosts;
}

// Jobs, newest first, by their names where they have one; for `stop`, `wait` and `resize` only those that run
// on this machine, also between two attempts, and for `attach` of these the detached ones.
Candidates known_jobs(const TypedWords& typed) {
  const std::string command = typed.command->get_name();
  const bool is_attach = command == "attach";
  const bool wants_running = is_attach || command == "stop" || command == "wait" || command == "resize";
  Candidates jobs;
  std::set<std::string> names;
  std::vector<launcher::SupervisorProcess> known;
  for (const JobFile& job : indexed_jobs()) {
    const bool is_newest = !job.name.empty() && names.insert(job.name).second;
    if (wants_running && (!runs_here(job, known) || (is_attach && !job.supervisor.detached))) continue;
    const std::string help = job.state + ", " + std::to_string(job.world_size) + " ranks: " + command_of(job);
    jobs.push_back({is_newest ? job.name : job.id, help});
  }
  return jobs;
}

// The ranks of the table, hosts or job typed before, else of the job in ./log_output.
Candidates known_ranks(const TypedWords& typed) {
  Candidates ranks;
  try {
    const std::size_t world = world_of(typed);
    for (std::size_t rank = 0; rank < world; ++rank) ranks.push_back({std::to_string(rank), ""});
  } catch (const std::exception&) {
    return ranks;
  }
  return ranks;
}

// Of an option or argument of that name; `type`: one alternative of a type such as "JOB|DIR|FILE".
void add_kind(Completion& completion, const TypedWords& typed, const std::string& name,
              const std::string& type) {
  const bool is_word =
      std::none_of(type.begin(), type.end(), [](unsigned char c) { return std::isupper(c); });
  if (is_word)
    add(completion, typed, type, "");
  else if (type.find("FILE") != std::string::npos || is_one_of(type, {"PATH", "PROGRAM", "GLOB"}))
    completion.files = true;
  else if (type.find("DIR") != std::string::npos)
    completion.folders = true;
  else if (type == "JOB")
    for (const auto& [id, help] : known_jobs(typed)) add(completion, typed, id, help);
  else if (is_one_of(type, {"RANKS", "SET"}) || name == "rank")
    add_items(completion, typed, typed.word.find_last_of(",-") + 1, known_ranks(typed));
  else if (type == "LIST" && is_one_of(name, {"hosts", "exclude", "spare", "node", "add", "remove"}))
    add_items(completion, typed, last_host(typed.word), known_hosts(typed));
  if (name == "hosts") completion.files = true;
}

void add_value(Completion& completion, const TypedWords& typed, const CLI::Option& option) {
  const std::string name =
      option.get_lnames().empty() ? option.get_single_name() : option.get_lnames().front();
  std::istringstream types(option.get_type_name());
  for (std::string type; std::getline(types, type, '|');) add_kind(completion, typed, name, type);
}

// A command's own option hides one of the same name of an outer command.
void add_options(Completion& completion, const TypedWords& typed) {
  std::set<std::string> offered;
  for (const CLI::App* command = typed.command; command != nullptr; command = command->get_parent())
    for (const CLI::Option* option : command->get_options()) {
      if (!option->nonpositional() || option->get_group().empty()) continue;
      const std::string name = option->get_lnames().empty() ? "-" + option->get_snames().front()
                                                            : "--" + option->get_lnames().front();
      const bool elsewhere =
          command != typed.command && is_one_of(name, {"--help", "--help-all", "--version"});
      if (!elsewhere && offered.insert(name).second) add(completion, typed, name, option->get_description());
    }
}

// The argument at `place`; the last one may take several words.
const CLI::Option* argument_at(const CLI::App& command, std::size_t place) {
  const auto arguments = command.get_options([](const CLI::Option* each) { return each->get_positional(); });
  if (place < arguments.size()) return arguments[place];
  const bool many = !arguments.empty() && arguments.back()->get_expected_max() > 1;
  return many ? arguments.back() : nullptr;
}

const CLI::App& outermost(const CLI::App& command) {
  const CLI::App* each = &command;
  while (each->get_parent() != nullptr && each->get_parent()->get_parent() != nullptr)
    each = each->get_parent();
  return *each;
}

}  // namespace

Completion complete(const TypedWords& typed) {
  Completion completion;
  if (typed.behind) {
    const std::string command = outermost(*typed.command).get_name();
    completion.program = takes_program(command) && !is_one_of(command, {"demo", "train"});
    completion.files = !completion.program;
  } else if (typed.option != nullptr) {
    add_value(completion, typed, *typed.option);
  } else if (typed.word.starts_with("-")) {
    add_options(completion, typed);
  } else {
    for (const CLI::App* inner :
         typed.command->get_subcommands([](const CLI::App* each) { return is_shown(*each); }))
      add(completion, typed, inner->get_name(), inner->get_description());
    const CLI::Option* argument = argument_at(*typed.command, typed.arguments.size());
    if (argument != nullptr) add_value(completion, typed, *argument);
    if (typed.word.empty() && completion.candidates.empty() && argument == nullptr)
      add_options(completion, typed);
  }
  return completion;
}

}  // namespace adarun::cli
