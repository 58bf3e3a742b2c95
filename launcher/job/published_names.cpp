// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/published_names.h"

#include <algorithm>
#include <vector>

#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

protocol::NameReply name_reply(const protocol::NameRequest& request, protocol::NameOutcome outcome) {
  return {request.id, request.service, outcome, {}};
}

void require_bounds(const protocol::NameRequest& request) {
  std::size_t bytes = 0;
  for (const protocol::PublishedName& each : request.names) {
    bytes += each.name.size() + each.value.size();
    if (each.name.size() > PublishedNames::most_name_bytes)
      throw protocol::Error("a name that is longer than one may be");
    if (request.action != protocol::NameAction::publish && !each.value.empty())
      throw protocol::Error("a value of a name that is not published");
  }
  if (request.names.size() > protocol::most_requested_names || bytes > protocol::most_requested_bytes)
    throw protocol::Error("more names than a rank may publish at once");
}

}  // namespace

void PublishedNames::take(std::uint32_t node, const protocol::NameRequest& request, Nodes& nodes,
                          Clock::time_point now) {
  require_bounds(request);
  switch (request.action) {
    case protocol::NameAction::publish: {
      const protocol::NameReply reply = publish(request);
      nodes.send(node, reply);
      if (reply.outcome == protocol::NameOutcome::done) wake(request, nodes);
      return;
    }
    case protocol::NameAction::withdraw:
      return nodes.send(node, withdraw(request));
    case protocol::NameAction::look_up:
      return wait(node, request, nodes,
                  now + std::min<std::chrono::seconds>(std::chrono::seconds(request.wait_s), longest_wait));
  }
  throw protocol::Error("a request about names that there is not");
}

// All of them, or none.
protocol::NameReply PublishedNames::publish(const protocol::NameRequest& request) {
  std::size_t bytes = 0;
  for (const protocol::PublishedName& each : request.names) {
    const auto found = entries_.find({request.service, each.name});
    if (found != entries_.end() && found->second.rank != request.rank)
      return name_reply(request, protocol::NameOutcome::taken);
    bytes += each.name.size() + each.value.size();
  }
  if (entries_.size() + request.names.size() > most_names || bytes_ + bytes > most_bytes)
    return name_reply(request, protocol::NameOutcome::too_much);
  for (const protocol::PublishedName& each : request.names) {
    const Key key{request.service, each.name};
    if (const auto found = entries_.find(key); found != entries_.end()) erase(found);
    entries_.emplace(key, Entry{each.value, request.rank, request.once});
    bytes_ += each.name.size() + each.value.size();
  }
  return name_reply(request, protocol::NameOutcome::done);
}

protocol::NameReply PublishedNames::withdraw(const protocol::NameRequest& request) {
  const auto is_own = [&request](const auto& entry) {
    return entry.first.first == request.service && entry.second.rank == request.rank;
  };
  auto outcome = protocol::NameOutcome::done;
  for (const protocol::PublishedName& each : request.names) {
    const auto found = entries_.find({request.service, each.name});
    if (found != entries_.end() && is_own(*found))
      erase(found);
    else
      outcome = protocol::NameOutcome::unknown;
  }
  if (request.names.empty())
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto each = entry++;
      if (is_own(*each)) erase(each);
    }
  return name_reply(request, outcome);
}

protocol::NameReply PublishedNames::look_up(const protocol::NameRequest& request) {
  protocol::NameReply reply = name_reply(request, protocol::NameOutcome::done);
  for (const protocol::PublishedName& each : request.names) {
    const auto found = entries_.find({request.service, each.name});
    if (found == entries_.end()) {
      reply.outcome = protocol::NameOutcome::unknown;
      continue;
    }
    reply.names.push_back({each.name, found->second.value, found->second.rank});
    if (found->second.once) erase(found);
  }
  return reply;
}

std::optional<PublishedNames::Key> PublishedNames::first_missing(const protocol::NameRequest& request) const {
  for (const protocol::PublishedName& each : request.names) {
    Key key{request.service, each.name};
    if (entries_.count(key) == 0) return key;
  }
  return std::nullopt;
}

void PublishedNames::wait(std::uint32_t node, const protocol::NameRequest& request, Nodes& nodes,
                          Clock::time_point until) {
  const std::optional<Key> missing = first_missing(request);
  if (!missing || request.wait_s == 0) return nodes.send(node, look_up(request));
  if (waiting_.size() >= most_waiting)
    return nodes.send(node, name_reply(request, protocol::NameOutcome::too_much));
  const std::uint64_t number = next_++;
  by_missing_.emplace(*missing, number);
  ends_.emplace(until, number);
  waiting_.emplace(number, Waiting{node, request, until, *missing});
}

PublishedNames::Waiting PublishedNames::stop_waiting(std::uint64_t number) {
  Waiting waiting = std::move(waiting_.extract(number).mapped());
  ends_.erase({waiting.until, number});
  const auto [begin, end] = by_missing_.equal_range(waiting.missing);
  by_missing_.erase(std::find_if(begin, end, [number](const auto& each) { return each.second == number; }));
  return waiting;
}

// Those that miss further names wait for these.
void PublishedNames::wake(const protocol::NameRequest& published, Nodes& nodes) {
  std::vector<std::uint64_t> woken;
  for (const protocol::PublishedName& each : published.names) {
    const auto [begin, end] = by_missing_.equal_range({published.service, each.name});
    for (auto at = begin; at != end; ++at) woken.push_back(at->second);
  }
  std::ranges::sort(woken);
  woken.erase(std::unique(woken.begin(), woken.end()), woken.end());
  for (const std::uint64_t number : woken) {
    const Waiting waiting = stop_waiting(number);
    wait(waiting.node, waiting.request, nodes, waiting.until);
  }
}

void PublishedNames::tick(Clock::time_point now, Nodes& nodes) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const Waiting waiting = stop_waiting(ends_.begin()->second);
    nodes.send(waiting.node, name_reply(waiting.request, protocol::NameOutcome::timed_out));
  }
}

std::optional<PublishedNames::Clock::time_point> PublishedNames::deadline() const {
  return ends_.empty() ? std::nullopt : std::optional(ends_.begin()->first);
}

void PublishedNames::forget(std::uint32_t node) {
  std::vector<std::uint64_t> gone;
  for (const auto& [number, waiting] : waiting_)
    if (waiting.node == node) gone.push_back(number);
  for (const std::uint64_t number : gone) stop_waiting(number);
}

void PublishedNames::erase(std::map<Key, Entry>::iterator entry) {
  bytes_ -= entry->first.second.size() + entry->second.value.size();
  entries_.erase(entry);
}

}  // namespace adarun::launcher
