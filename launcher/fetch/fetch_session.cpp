// SPDX-License-Identifier: Apache-2.0
#include "launcher/fetch/fetch_session.h"

#include <poll.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/describe.h"
#include "launcher/base/error.h"
#include "launcher/protocol/archive.h"
#include "launcher/protocol/messages.h"
#include "launcher/protocol/pack.h"

namespace adarun::launcher {
namespace {

constexpr int turn_ms = 100;
constexpr std::size_t most_on_their_way = 16;
constexpr std::size_t most_part_bytes = 1U << 20U;
constexpr std::chrono::seconds farewell{2};
constexpr int most_attempts = 3;
// Allows time for the agent to read and hash the part of the file that the launcher has already.
constexpr std::uint64_t slowest_bytes_per_s = 10U << 20U;

}  // namespace

FetchSession::FetchSession(Transport& transport, std::size_t nodes, protocol::Find find, Place place,
                           std::chrono::milliseconds silence)
    : transport_(transport),
      find_(std::move(find)),
      place_(std::move(place)),
      nodes_(nodes),
      files_(nodes),
      silence_(silence),
      timeout_(nodes, silence) {
  progress_.nodes = nodes;
}

bool FetchSession::run(const Continues& continues) {
  progress_ = FetchProgress{.nodes = nodes_.size(), .nodes_connected = progress_.nodes_connected};
  for (std::uint32_t node = 0; node < nodes_.size(); ++node) begin(node);
  while (busy()) {
    if (!continues(progress_)) return false;
    const auto begun = std::chrono::steady_clock::now();
    pollfd polled{transport_.ready_fd(), POLLIN, 0};
    poll(&polled, 1, turn_ms);
    const auto waited = std::chrono::steady_clock::now() - begun;
    for (const TransportEvent& event : transport_.take()) take(event);
    for (const std::uint32_t node : timeout_.wait(waited, std::chrono::milliseconds(turn_ms)))
      give_up(node, "its agent answers, but has sent nothing new for " + base::describe(silence_));
  }
  return continues(progress_);
}

void FetchSession::begin(std::uint32_t index) {
  Node& node = nodes_[index];
  if (node.state == State::gone) {
    ++progress_.nodes_done;
    return;
  }
  files_[index] = {};
  node.next_file = 0;
  node.attempts.clear();
  if (node.state != State::idle) return;
  node.state = State::finding;
  transport_.send(index, find_);
  timeout_.renew(index);
}

void FetchSession::take(const TransportEvent& event) {
  Node& node = nodes_[event.node];
  if (const auto* lost = std::get_if<LinkLost>(&event.what)) {
    if (node.state != State::gone) settle(event.node, lost->reason);
    node.state = State::gone;
    return;
  }
  const auto* message = std::get_if<protocol::Message>(&event.what);
  if (message == nullptr || node.state == State::gone) return;
  try {
    take(event.node, *message);
  } catch (const std::exception& error) {
    give_up(event.node, error.what());
  }
}

void FetchSession::take(std::uint32_t index, const protocol::Message& message) {
  Node& node = nodes_[index];
  if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
    if (node.state != State::connecting) throw protocol::Error("a second Hello");
    if (const std::string refusal = version_refusal(*hello); !refusal.empty()) throw protocol::Error(refusal);
    node.state = State::finding;
    ++progress_.nodes_connected;
    transport_.send(index, find_);
    timeout_.renew(index);
  } else if (const auto* found = std::get_if<protocol::FileListing>(&message)) {
    take_found(index, *found);
  } else if (const auto* part = std::get_if<protocol::FetchPart>(&message)) {
    take_part(index, *part);
  } else if (const auto* fetched = std::get_if<protocol::Fetched>(&message)) {
    take_end(index, *fetched);
  } else if (const auto* failed = std::get_if<protocol::Failed>(&message)) {
    throw protocol::Error(failed->message);
  } else if (std::holds_alternative<protocol::Done>(message)) {
    throw protocol::Error("its agent left before all files were here");
  }
}

void FetchSession::take_found(std::uint32_t index, protocol::FileListing found) {
  if (nodes_[index].state != State::finding) return;
  FetchedNode& files = files_[index];
  const std::size_t most = find_.most_files;
  if (found.files.size() > most || found.left_out.size() > most)
    throw protocol::Error("it tells of more than " + std::to_string(most) + " files");
  files.left_out = std::move(found.left_out);
  if (!found.refusal.empty()) return settle(index, found.refusal);
  for (protocol::FoundFile& file : found.files) {
    progress_.bytes += file.size_bytes;
    files.files.push_back({std::move(file), 0, FetchResult::fresh, ""});
  }
  progress_.files += files.files.size();
  nodes_[index].state = State::fetching;
  ask_for_more(index);
}

void FetchSession::ask_for_more(std::uint32_t index) {
  Node& node = nodes_[index];
  while (node.open.size() < most_on_their_way && node.next_file < files_[index].files.size())
    ask_for(index, node.next_file++);
  if (node.open.empty()) settle(index, "");
}

void FetchSession::ask_for(std::uint32_t index, std::size_t number) {
  Node& node = nodes_[index];
  FetchedFile& file = files_[index].files[number];
  try {
    const std::shared_ptr<FetchTarget> target = place_(index, file.found);
    const Known known = target->known();
    progress_.bytes_done += std::min(known.size_bytes, file.found.size_bytes);
    const std::uint32_t id = node.next_id++;
    node.open.emplace(id, Open{number, target});
    transport_.send(index, protocol::Fetch{id, file.found.path, known.size_bytes, known.hash});
    timeout_.renew(index, std::chrono::seconds(known.size_bytes / slowest_bytes_per_s));
  } catch (const Error& error) {
    file.reason = error.what();
    ++progress_.files_done;
  }
}

void FetchSession::take_part(std::uint32_t index, const protocol::FetchPart& part) {
  Node& node = nodes_[index];
  const auto open = node.open.find(part.id);
  if (open == node.open.end()) throw protocol::Error("bytes of a file that was not asked for");
  FetchedFile& file = files_[index].files[open->second.file];
  const std::string unpacked = part.is_packed ? protocol::unpack(part.bytes, most_part_bytes) : "";
  const std::string& bytes = part.is_packed ? unpacked : part.bytes;
  open->second.target->take(part.offset, bytes);
  file.new_bytes = part.offset == 0 ? bytes.size() : file.new_bytes + bytes.size();
  progress_.bytes_done = std::min(progress_.bytes_done + bytes.size(), progress_.bytes);
  const std::uint64_t end = part.offset + bytes.size();
  if (end <= open->second.furthest) return;
  open->second.furthest = end;
  timeout_.renew(index);
}

void FetchSession::take_end(std::uint32_t index, const protocol::Fetched& fetched) {
  Node& node = nodes_[index];
  const auto open = node.open.extract(fetched.id);
  if (open.empty()) throw protocol::Error("the end of a file that was not asked for");
  const std::size_t number = open.mapped().file;
  FetchedFile& file = files_[index].files[number];
  file.reason = fetched.reason;
  if (fetched.reason.empty()) file.how = open.mapped().target->finish(fetched);
  if (file.how == FetchResult::damaged) file.reason = "what has come of it is not what was sent";
  const bool again = !file.reason.empty() && file.new_bytes > 0;
  if (again && ++node.attempts[file.found.path] < most_attempts) {
    file.how = FetchResult::fresh;
    file.reason.clear();
    ask_for(index, number);
  } else {
    ++progress_.files_done;
  }
  timeout_.renew(index);
  ask_for_more(index);
}

// Ends this run() for the node.
void FetchSession::settle(std::uint32_t index, const std::string& reason) {
  Node& node = nodes_[index];
  const bool was_busy = node.state != State::idle && node.state != State::gone;
  if (was_busy) ++progress_.nodes_done;
  for (const auto& [id, open] : node.open) files_[index].files[open.file].reason = reason;
  node.open.clear();
  for (; node.next_file < files_[index].files.size(); ++node.next_file)
    files_[index].files[node.next_file].reason = reason;
  files_[index].reason = reason;
  node.state = State::idle;
  timeout_.release(index);
}

void FetchSession::give_up(std::uint32_t index, const std::string& reason) {
  settle(index, reason);
  nodes_[index].state = State::gone;
  transport_.send(index, protocol::Stop{true});
}

void FetchSession::leave() {
  const auto deadline = std::chrono::steady_clock::now() + farewell;
  for (std::uint32_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].state != State::gone) transport_.send(node, protocol::Stop{true});
  const auto is_there = [](const Node& node) { return node.state != State::gone; };
  while (std::any_of(nodes_.begin(), nodes_.end(), is_there) && std::chrono::steady_clock::now() < deadline) {
    pollfd polled{transport_.ready_fd(), POLLIN, 0};
    poll(&polled, 1, turn_ms);
    for (const TransportEvent& event : transport_.take()) {
      const auto* message = std::get_if<protocol::Message>(&event.what);
      const bool done = message != nullptr && std::holds_alternative<protocol::Done>(*message);
      if (done || std::holds_alternative<LinkLost>(event.what)) nodes_[event.node].state = State::gone;
    }
  }
}

}  // namespace adarun::launcher
