// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/ranks/memory_watch.h"

#include <sstream>

#include "base/read_text.h"

namespace adarun::launcher::agent {
namespace {

// Both files have lines "NAME NUMBER" and use the same name for the counter.
std::optional<std::uint64_t> kills_in(const std::string& file) {
  std::istringstream words(base::read_text(file));
  std::string name;
  for (std::uint64_t number = 0; words >> name >> number;)
    if (name == "oom_kill") return number;
  return std::nullopt;
}

}  // namespace

MemoryWatch::MemoryWatch(std::string group_events, std::string machine_events)
    : group_events_(std::move(group_events)),
      machine_events_(std::move(machine_events)),
      group_before_(kills_in(group_events_)),
      machine_before_(kills_in(machine_events_)) {}

protocol::OutOfMemory MemoryWatch::verdict() const {
  if (const auto kills = kills_in(group_events_))
    return *kills > group_before_.value_or(0) ? protocol::OutOfMemory::yes : protocol::OutOfMemory::no;
  const auto now = kills_in(machine_events_);
  if (!now || !machine_before_) return protocol::OutOfMemory::unknown;
  return *now > *machine_before_ ? protocol::OutOfMemory::likely : protocol::OutOfMemory::no;
}

}  // namespace adarun::launcher::agent
