// SPDX-License-Identifier: Apache-2.0
#include "cli/ask_hosts.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "cli/command.h"
#include "launcher/error.h"
#include "launcher/hosts/fold.h"
#include "launcher/query/ask.h"

namespace adarun::cli {
namespace {

// One line on a terminal that is written over and over, and is gone in the end.
class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shows_) std::fputs("\r\x1b[K", stderr);
  }

  void show(const launcher::SurveyProgress& progress) const {
    if (!shows_) return;
    std::fprintf(stderr, "\radarun: %zu of %zu nodes connected, %zu done", progress.connected, progress.nodes,
                 progress.done);
    if (progress.failed > 0) std::fprintf(stderr, ", %zu failed", progress.failed);
    std::fputs("\x1b[K", stderr);
    std::fflush(stderr);
  }

 private:
  bool shows_ = ::isatty(STDERR_FILENO) != 0;
};

// What asks about this machine's nodes is to know them by the names they were given.
launcher::SshTargets asked_targets(const std::vector<launcher::Host>& hosts, const NodeOptions& options) {
  if (options.via != Via::local) return targets_of(hosts, options);
  launcher::SshTargets targets;
  for (const launcher::Host& host : hosts) targets.addresses.push_back(host.name);
  return targets;
}

// Hosts that can be looked for.
AskedHosts ask_known(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                     const std::vector<launcher::Interview*>& interviews) {
  const launcher::FileLimit files;
  const launcher::SshTargets targets = asked_targets(hosts, options);
  say_notes(targets);
  const auto transport = connect(options, targets, hosts, files);
  const ProgressLine line;
  std::vector<std::string> reasons = launcher::ask(
      *transport, interviews, [&line](const launcher::SurveyProgress& progress) { line.show(progress); });
  return {targets.addresses, std::move(reasons)};
}

// The hosts that can be looked for, by their places in the list.
std::vector<std::size_t> places_of_known(const std::vector<std::string>& reasons) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (reasons[i].empty()) places.push_back(i);
  return places;
}

template <typename T>
std::vector<T> at(const std::vector<std::size_t>& places, const std::vector<T>& all) {
  std::vector<T> some;
  some.reserve(places.size());
  for (const std::size_t place : places) some.push_back(all[place]);
  return some;
}

}  // namespace

AskedHosts ask_hosts(const std::vector<launcher::Host>& hosts, const NodeOptions& options,
                     const std::vector<launcher::Interview*>& interviews) {
  AskedHosts asked{std::vector<std::string>(hosts.size()), why_unknown(hosts, options)};
  const std::vector<std::size_t> known = places_of_known(asked.reasons);
  if (known.empty()) return asked;
  const AskedHosts answered = ask_known(at(known, hosts), options, at(known, interviews));
  for (std::size_t k = 0; k < known.size(); ++k) {
    asked.addresses[known[k]] = answered.addresses[k];
    asked.reasons[known[k]] = answered.reasons[k];
  }
  return asked;
}

std::vector<std::string> sshds_of(const std::vector<launcher::Host>& hosts, const NodeOptions& options) {
  std::vector<std::string> sshds(hosts.size());
  if (options.via != Via::ssh) return sshds;
  const std::vector<launcher::SshPlace> places = places_of(hosts, options);
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (places[i].reason.empty()) sshds[i] = places[i].address + " " + std::to_string(places[i].port);
  return sshds;
}

void ask_here(launcher::Interview& interview) {
  const launcher::FileLimit files;
  NodeOptions options;
  options.via = Via::local;
  const auto transport = connect(options, {}, {launcher::Host{}}, files);
  const std::string reason = launcher::ask(*transport, {&interview}, [](const auto&) {}).front();
  if (!reason.empty()) throw launcher::Error(reason);
}

void require_all(const std::vector<launcher::Host>& hosts, const std::vector<std::string>& reasons,
                 int status, const std::string& consequence) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> failed;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (reasons[i].empty()) continue;
    if (failed[reasons[i]].empty()) order.push_back(reasons[i]);
    failed[reasons[i]].push_back(hosts[i].name);
  }
  if (order.empty()) return;
  const auto count =
      std::count_if(reasons.begin(), reasons.end(), [](const auto& each) { return !each.empty(); });
  std::string message = std::to_string(count) + " of " + std::to_string(hosts.size()) +
                        (hosts.size() == 1 ? " node" : " nodes") + " failed; " + consequence;
  for (const std::string& reason : order)
    message += "\n  " + launcher::fold_names(failed[reason]) + ": " + reason;
  throw Quit(status, message);
}

}  // namespace adarun::cli
