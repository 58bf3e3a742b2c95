// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/spares.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "cli/arguments/command.h"
#include "launcher/base/error.h"
#include "launcher/hosts/read.h"

namespace adarun::cli {
namespace {

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<launcher::Host> hosts_named(const std::string& list) {
  try {
    return launcher::read_hosts(list, "--spare");
  } catch (const launcher::Error& error) {
    throw Quit(exit_usage, error.what());
  }
}

void exclude_on(launcher::SpareOptions& options, const std::string& word) {
  if (word == "check")
    options.exclude_unfit = true;
  else if (word == "repeat")
    options.exclude_repeated = true;
  else
    throw CLI::ValidationError("--exclude-on", "\"" + word + "\": wanted check or repeat");
}

}  // namespace

void add_spares(CLI::App& command, launcher::SpareOptions& options) {
  command
      .add_option(
          "--spare", options.spares,
          "Connect to these hosts too, to take the place of nodes that are lost: a list, or how many of "
          "the last hosts to hold back")
      ->type_name("LIST|N");
  command
      .add_option_function<std::string>(
          "--min-nodes",
          [&options](const std::string& text) {
            options.min_nodes = number_in(text);
            if (options.min_nodes.value_or(0) == 0)
              throw CLI::ValidationError("--min-nodes", "\"" + text + "\": wanted a number of nodes from 1");
          },
          "Go on without nodes that are lost while so many are left (default: all)")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--exclude-on",
          [&options](const std::string& text) {
            std::istringstream words(text + ",");
            for (std::string word; std::getline(words, word, ',');) exclude_on(options, word);
          },
          "Treat a node as lost where adarun check finds a fault at the start (check), or where ranks fail "
          "first in two attempts (repeat)")
      ->type_name("check|repeat");
}

HostsAndSpares hold_back(std::vector<launcher::Host> hosts, const std::string& spares) {
  HostsAndSpares result;
  if (const auto count = number_in(spares)) {
    if (*count >= hosts.size())
      throw Quit(exit_usage, "--spare " + spares + ": of " + std::to_string(hosts.size()) +
                                 " hosts none would be left to run ranks");
    result.spares.assign(hosts.end() - static_cast<std::ptrdiff_t>(*count), hosts.end());
    hosts.resize(hosts.size() - *count);
  } else if (!spares.empty()) {
    for (launcher::Host& spare : hosts_named(spares)) {
      const auto listed = std::find_if(hosts.begin(), hosts.end(),
                                       [&](const launcher::Host& host) { return host.name == spare.name; });
      if (listed == hosts.end()) {
        result.spares.push_back(std::move(spare));
        continue;
      }
      result.spares.push_back(spare.counted ? std::move(spare) : std::move(*listed));
      hosts.erase(listed);
    }
    if (hosts.empty()) throw Quit(exit_usage, "--spare " + spares + ": no host is left to run ranks");
  }
  result.hosts = std::move(hosts);
  return result;
}

}  // namespace adarun::cli
