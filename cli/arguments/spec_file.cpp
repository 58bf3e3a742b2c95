// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/spec_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/clean_text.h"
#include "base/parse_json.h"
#include "base/schema_address.h"
#include "cli/arguments/command.h"
#include "cli/arguments/rank_set.h"
#include "cli/arguments/variables.h"
#include "launcher/base/read_input.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t most_ranks_of_role = std::uint64_t{1} << 20U;

// What the file itself stands for, or what is asked about a job.
constexpr std::array<std::string_view, 7> no_part_of_job{"role", "spec",     "print-spec", "dry-run",
                                                         "help", "help-all", "version"};

bool is_no_part_of_job(const std::string& option) {
  return std::ranges::find(no_part_of_job, option) != no_part_of_job.end();
}

/// Reads one file. Messages name the place, "job.json: roles[1]: ".
class SpecReader {
 public:
  explicit SpecReader(std::string path) : path_(std::move(path)), place_(path_) {}

  SpecFile read(const std::string& text) {
    const ordered_json file = parse(text);
    if (!file.is_object()) refuse("wanted a JSON object");
    ordered_json options = ordered_json::object();
    for (const auto& [key, value] : file.items()) {
      if (key == "$schema") continue;  // For editors.
      if (key == "program")
        spec_.program = words(key, value);
      else if (key == "roles")
        take_roles(value);
      else if (is_no_part_of_job(key))
        refuse(quoted(key) + ": of a command line, and no part of a job");
      else
        options[key] = value;
    }
    spec_.options = defaults_in(ordered_json{{"launch", options}}.dump(), path_);
    if (!spec_.roles.roles.empty() && !spec_.program.empty()) refuse("program: not beside roles");
    take_hosts();
    return std::move(spec_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw ExitError(exit_usage, place_ + ": " + why); }

  ordered_json parse(const std::string& text) const {
    if (base::is_nested_too_deep(text)) refuse(base::nested_too_deep_text());
    try {
      return ordered_json::parse(text);
    } catch (const ordered_json::parse_error& error) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
      refuse("line " + std::to_string(1 + std::count(text.begin(), end, '\n')) +
             ": no JSON: a comma, a quote or a bracket may be missing, or one too many");
    }
  }

  static std::string quoted(const std::string& key) { return ranktable::in_quotes(key); }

  std::string text_in(const std::string& key, const ordered_json& value) const {
    if (!value.is_string()) refuse(quoted(key) + ": wanted a text");
    std::string text = value.get<std::string>();
    if (text.find('\0') != std::string::npos) refuse(quoted(key) + ": has a NUL byte");
    return text;
  }

  std::vector<std::string> texts(const std::string& key, const ordered_json& value) const {
    if (!value.is_array()) refuse(quoted(key) + ": wanted a list of texts");
    std::vector<std::string> found;
    for (const ordered_json& each : value) found.push_back(text_in(key, each));
    return found;
  }

  std::vector<std::string> words(const std::string& key, const ordered_json& value) const {
    std::vector<std::string> found = texts(key, value);
    if (found.empty() || found.front().empty())
      refuse(quoted(key) + ": wanted a program and its arguments, as in [\"./train\", \"--lr\", \"0.1\"]");
    return found;
  }

  bool flag(const std::string& key, const ordered_json& value) const {
    if (!value.is_boolean()) refuse(quoted(key) + ": wanted true or false");
    return value.get<bool>();
  }

  std::uint64_t number(const std::string& key, const ordered_json& value, std::uint64_t most) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
      refuse(quoted(key) + ": wanted a number of at most " + std::to_string(most));
    return value.get<std::uint64_t>();
  }

  void take_roles(const ordered_json& value) {
    if (!value.is_array() || value.empty()) refuse("roles: wanted a list of roles");
    for (const ordered_json& each : value) {
      place_ = path_ + ": roles[" + std::to_string(spec_.roles.roles.size()) + "]";
      if (!each.is_object()) refuse("wanted a JSON object");
      take_role(each);
    }
    place_ = path_;
    const std::size_t with_hosts = spec_.roles.hosts.size();
    if (with_hosts != 0 && with_hosts != spec_.roles.roles.size())
      refuse("roles: all of them have hosts, or none");
  }

  void take_role(const ordered_json& json) {
    launcher::Role role;
    std::set<std::string> places;
    for (const auto& [key, value] : json.items()) {
      if (key == "ranks" || key == "count" || key == "hosts") places.insert(key);
      take_key(role, key, value);
    }
    if (!is_role_name(role.name)) refuse("name: wanted one of letters, digits, - and _, a letter first");
    place_ += " (" + role.name + ")";
    if (role.argv.empty()) refuse("program: wanted one");
    if (places.size() != 1) refuse("wanted one of ranks, count and hosts");
    const auto has_its_name = [&role](const launcher::Role& other) { return other.name == role.name; };
    if (std::ranges::any_of(spec_.roles.roles, has_its_name)) refuse("a second role of this name");
    if (places.contains("hosts")) spec_.roles.hosts[role.name] = json.at("hosts").get<std::string>();
    spec_.roles.roles.push_back(std::move(role));
  }

  void take_key(launcher::Role& role, const std::string& key, const ordered_json& value) {
    if (key == "name")
      role.name = text_in(key, value);
    else if (key == "program")
      role.argv = words(key, value);
    else if (key == "ranks")
      take_ranks(role, text_in(key, value));
    else if (key == "count")
      take_count(role, number(key, value, most_ranks_of_role));
    else if (key == "hosts")
      text_in(key, value);
    else if (key == "env")
      role.environment = variables(key, value);
    else if (key == "workdir")
      role.workdir = text_in(key, value);
    else if (key == "background")
      role.policy.background = flag(key, value);
    else if (key == "optional")
      role.policy.optional = flag(key, value);
    else if (key == "restarts")
      role.policy.restarts = number(key, value, launcher::most_role_restarts);
    else
      refuse(quoted(key) + ": no key of a role");
  }

  void take_ranks(launcher::Role& role, const std::string& text) {
    try {
      const std::set<std::uint32_t> ranks = parse_ranks(text);
      role.ranks.assign(ranks.begin(), ranks.end());
    } catch (const std::invalid_argument& error) {
      refuse(std::string("ranks: ") + error.what());
    }
    next_rank_ = role.ranks.back() + std::uint64_t{1};
  }

  // Those behind the ones of the role before it.
  void take_count(launcher::Role& role, std::uint64_t count) {
    if (count == 0 || next_rank_ + count > most_ranks_of_role)
      refuse("count: wanted 1 to " + std::to_string(most_ranks_of_role) + " ranks in all");
    for (const std::uint64_t end = next_rank_ + count; next_rank_ < end; ++next_rank_)
      role.ranks.push_back(static_cast<std::uint32_t>(next_rank_));
  }

  std::vector<std::string> variables(const std::string& key, const ordered_json& value) const {
    std::vector<std::string> found = texts(key, value);
    for (const std::string& variable : found) {
      const std::size_t equals = variable.find('=');
      if (equals == std::string::npos || !is_variable_name(std::string_view(variable).substr(0, equals)))
        refuse("env: " + quoted(variable) + ": wanted NAME=VALUE");
    }
    return found;
  }

  // The job's hosts are those of its roles.
  void take_hosts() {
    if (spec_.roles.hosts.empty()) return;
    std::string all;
    for (const launcher::Role& role : spec_.roles.roles)
      all += (all.empty() ? "" : ",") + spec_.roles.hosts.at(role.name);
    for (const Default& option : spec_.options)
      if (option.option == "hosts") refuse("hosts: not beside those of roles");
    spec_.options.push_back({"launch", "hosts", {all}, false, path_});
  }

  std::string path_;
  std::string place_;
  std::uint64_t next_rank_ = 0;
  SpecFile spec_;
};

ordered_json json_value_of(const CLI::Option& option) {
  const std::vector<std::string>& results = option.results();
  const bool is_flag = option.get_expected_max() == 0;
  if (is_flag && results.size() == 1) return results.front() != "false";
  if (results.size() > 1) return results;
  return results.front();
}

ordered_json json_of(const launcher::Role& role, const GivenRoles& roles) {
  ordered_json json{{"name", role.name}};
  if (const auto hosts = roles.hosts.find(role.name); hosts != roles.hosts.end())
    json["hosts"] = hosts->second;
  else
    json["ranks"] = shown_ranks({role.ranks.begin(), role.ranks.end()});
  json["program"] = role.argv;
  if (!role.environment.empty()) json["env"] = role.environment;
  if (!role.workdir.empty()) json["workdir"] = role.workdir;
  if (role.policy.background) json["background"] = true;
  if (role.policy.optional) json["optional"] = true;
  if (role.policy.restarts > 0) json["restarts"] = role.policy.restarts;
  return json;
}

}  // namespace

SpecFile read_spec(const std::string& path) {
  return or_exit(exit_usage, [&] { return SpecReader(path).read(launcher::read_input(path, "spec")); });
}

std::string spec_text(const CLI::App& launch, const GivenRoles& roles,
                      const std::vector<std::string>& program) {
  ordered_json json{{"$schema", base::schema_address("spec")}};
  for (const CLI::Option* option : launch.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty()) continue;
    const std::string& name = option->get_lnames().front();
    const bool is_of_roles = name == "hosts" && !roles.hosts.empty();
    if (is_of_roles || is_no_part_of_job(name)) continue;
    json[name] = json_value_of(*option);
  }
  for (const launcher::Role& role : roles.roles) json["roles"].push_back(json_of(role, roles));
  if (roles.roles.empty() && !program.empty()) json["program"] = program;
  return base::escape_controls(json.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace adarun::cli
