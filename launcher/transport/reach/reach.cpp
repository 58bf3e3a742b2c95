// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/reach/reach.h"

#include <map>
#include <tuple>

namespace adarun::launcher {
namespace {

// "user@10.0.0.1 port 22, through gate".
std::string way_to(const HostPlace& place) {
  if (place.address.empty()) return "no address: " + place.reason;
  std::string text = (place.user.empty() ? "" : place.user + "@") + place.address;
  if (place.port != 0) text += " port " + std::to_string(place.port);
  for (const std::string& jump : place.jumps) text += ", through " + jump;
  return "address: " + text;
}

// Warns of two hosts of the list that are one machine.
void warn_of_twins(const std::vector<Host>& hosts, const Targets& targets, base::Log& log) {
  std::map<std::tuple<std::string, int, std::vector<std::string>>, std::size_t> first;
  for (std::size_t i = 0; i < targets.places.size() && i < hosts.size(); ++i) {
    const HostPlace& place = targets.places[i];
    if (place.address.empty() || place.port == 0) continue;
    const auto [other, is_new] = first.try_emplace({place.address, place.port, place.jumps}, i);
    if (!is_new)
      log.warning(hosts[other->second].name + " and " + hosts[i].name + " are one machine (" + place.address +
                  " port " + std::to_string(place.port) + "): their ranks share its devices");
  }
}

}  // namespace

void log_targets(const std::vector<Host>& hosts, const Targets& targets, base::Log* log) {
  if (log == nullptr) return;
  for (const std::string& note : targets.notes) log->warning(note);
  for (std::size_t i = 0; i < targets.places.size() && i < hosts.size(); ++i)
    log->write(base::Level::debug, hosts[i].name, way_to(targets.places[i]));
  warn_of_twins(hosts, targets, *log);
}

}  // namespace adarun::launcher
