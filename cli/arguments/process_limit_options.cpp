// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/process_limit_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "cli/arguments/option_values.h"

namespace adarun::cli {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> parse_value(const std::string& text) {
  if (text == "unlimited") return unlimited;
  const auto value = parse_whole<std::uint64_t>(text);
  return value ? value : parse_size(text);
}

// Other launchers' words for --bind, in hints.
bool is_group_of_cores(const std::string& word) {
  constexpr std::array words{"board", "l3cache", "package", "socket"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

void take_limit(const std::string& text, launcher::protocol::ProcessLimits& process_limits) {
  const auto limit = parse_limit(text);
  if (!limit)
    throw CLI::ValidationError("--ulimit", "\"" + text + "\": wanted NAME=VALUE or NAME=SOFT:HARD, such as " +
                                               "core=unlimited or as=4G; NAME is one of " +
                                               launcher::protocol::names_of_limits());
  process_limits.limits.push_back(*limit);
}

}  // namespace

std::optional<launcher::protocol::Limit> parse_limit(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  const auto resource = launcher::protocol::limit_named(text.substr(0, equals));
  const std::string value = text.substr(equals + 1);
  const std::size_t colon = value.find(':');
  const auto soft = parse_value(value.substr(0, colon));
  const auto hard = colon == std::string::npos ? soft : parse_value(value.substr(colon + 1));
  if (!resource || !soft || !hard || *soft > *hard) return std::nullopt;
  return launcher::protocol::Limit{*resource, *soft, *hard};
}

std::optional<int> parse_umask(const std::string& text) {
  constexpr int octal = 8;
  constexpr int most = 0777;
  const auto value = parse_whole<int>(text, octal);
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

const char* name_of(launcher::protocol::Bind bind) {
  return bind == launcher::protocol::Bind::core   ? "core"
         : bind == launcher::protocol::Bind::numa ? "numa"
                                                  : "none";
}

const char* name_of(launcher::protocol::Stdout out) {
  return out == launcher::protocol::Stdout::pipe ? "pipe" : "terminal";
}

std::string umask_text(int mask) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%03o", static_cast<unsigned>(mask));
  return text.data();
}

std::string limit_text(std::uint64_t value) {
  return value == unlimited ? "unlimited" : std::to_string(value);
}

void add_process_limits(CLI::App& command, launcher::protocol::ProcessLimits& process_limits) {
  using launcher::protocol::Bind;
  add_choice<Bind>(command, "--bind", process_limits.bind,
                   {{"none", Bind::none}, {"core", Bind::core}, {"numa", Bind::numa}},
                   "Bind each rank to a core, or to a NUMA node (default: none)")
      ->check([](const std::string& word) {
        return is_group_of_cores(word) ? "\"" + word + "\": wanted none|core|numa; numa is the nearest to it"
                                       : std::string();
      });
  command
      .add_option_function<std::vector<std::string>>(
          "--ulimit",
          [&process_limits](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) take_limit(text, process_limits);
          },
          "Set a resource limit of every rank, such as core=unlimited or nofile=65536")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  using launcher::protocol::Stdout;
  add_choice<Stdout>(
      command, "--stdout", process_limits.out, {{"terminal", Stdout::terminal}, {"pipe", Stdout::pipe}},
      "What ranks write to: a terminal has programs print each line at once, a pipe is quicker for "
      "many megabytes (default: terminal)");
  add_parsed(command, "--umask", "MASK", "Set the mask of new files of every rank (default: the node's)",
             [&process_limits](const std::string& text) {
               const auto mask = parse_umask(text);
               if (!mask)
                 throw CLI::ValidationError("--umask", "\"" + text + "\": wanted a mask such as 027");
               process_limits.umask = *mask;
             });
}

}  // namespace adarun::cli
