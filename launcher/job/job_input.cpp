// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/job_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/system_text.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t piece_bytes = 64U << 10U;

}  // namespace

JobInput::JobInput(base::FileDescriptor from) : from_(std::move(from)), ended_(!from_) {
  struct stat facts {};
  is_file_ = from_ && ::fstat(from_.get(), &facts) == 0 && S_ISREG(facts.st_mode);
  const off_t offset = is_file_ ? ::lseek(from_.get(), 0, SEEK_CUR) : 0;
  begin_ = offset > 0 ? static_cast<std::uint64_t>(offset) : 0;
}

// With all of them: what one reads first is not dropped before the others have it.
void JobInput::begin(const Plan& plan) {
  plan_ = &plan;
  readers_.clear();
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node)
    for (const protocol::RankSpec& spec : plan.nodes[node].start.ranks)
      if (spec.in != protocol::Stdin::none) readers_[spec.rank] = {node, 0, 0};
}

void JobInput::take(const TransportEvent& event) {
  if (plan_ == nullptr) return;
  if (std::holds_alternative<LinkLost>(event.what))
    std::erase_if(readers_, [&event](const auto& each) { return each.second.node == event.node; });
  const auto* message = std::get_if<protocol::Message>(&event.what);
  if (message == nullptr) return;
  if (const auto* wanted = std::get_if<protocol::InputWanted>(message)) {
    want(event.node, *wanted);
  } else if (const auto* exited = std::get_if<protocol::Exited>(message)) {
    const auto reader = readers_.find(exited->rank);
    if (reader != readers_.end() && reader->second.node == event.node) readers_.erase(reader);
  }
}

// Of an agent that is wrong nothing is taken; the job gives its node up.
void JobInput::want(std::uint32_t node, const protocol::InputWanted& wanted) {
  using Kind = protocol::InputWanted::Kind;
  if (wanted.rank >= plan_->world_size() || plan_->node_of_rank[wanted.rank] != node) return;
  was_wanted_ = true;
  if (wanted.kind == Kind::from_begin) {
    readers_[wanted.rank] = {node, 0, 0};
    if (!is_file_ && held_at_ > 0)
      notices_.push_back("stdin: rank " + std::to_string(wanted.rank) +
                         " was started again and finds the end of it, which cannot be read a second time (a "
                         "file can: < FILE)");
  }
  const auto reader = readers_.find(wanted.rank);
  if (reader == readers_.end()) return;
  if (wanted.kind == Kind::no_more) {
    readers_.erase(reader);
    return;
  }
  reader->second.wanted =
      std::min(reader->second.wanted + wanted.bytes, reader->second.position + most_held_bytes);
}

bool JobInput::needs_bytes() const {
  return !is_file_ && !ended_ && held_.size() < most_held_bytes &&
         std::ranges::any_of(readers_, [this](const auto& each) {
           return each.second.position == held_at_ + held_.size() &&
                  each.second.wanted > each.second.position;
         });
}

// Who reads a terminal in the background is stopped for it.
bool JobInput::is_readable() const {
  return ::isatty(from_.get()) == 0 || ::tcgetpgrp(from_.get()) == ::getpgrp();
}

int JobInput::fd() const {
  return needs_bytes() && is_readable() ? from_.get() : -1;
}

void JobInput::end(const std::string& why) {
  ended_ = true;
  if (!why.empty()) notices_.push_back("stdin: cannot be read further: " + why);
}

void JobInput::read_stream() {
  pollfd waiting{fd(), POLLIN, 0};
  if (waiting.fd < 0 || ::poll(&waiting, 1, 0) <= 0) return;
  std::array<char, piece_bytes> bytes;  // NOLINT: filled by read
  const ssize_t size = ::read(from_.get(), bytes.data(), bytes.size());
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) return end(size < 0 ? base::system_text(errno) : "");
  held_.append(bytes.data(), static_cast<std::size_t>(size));
  read_bytes_ += static_cast<std::uint64_t>(size);
}

std::string JobInput::bytes_of_file(std::uint64_t position, std::size_t most) {
  std::string bytes(most, '\0');
  const ssize_t size = ::pread(from_.get(), bytes.data(), most, static_cast<off_t>(begin_ + position));
  if (size < 0) end(base::system_text(errno));
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

// `last`: set if nothing follows these bytes.
std::string JobInput::bytes_for(const Reader& reader, bool& last) {
  const auto most =
      static_cast<std::size_t>(std::min<std::uint64_t>(reader.wanted - reader.position, piece_bytes));
  if (is_file_) {
    std::string bytes = ended_ || most == 0 ? "" : bytes_of_file(reader.position, most);
    last = ended_ || (most > 0 && bytes.empty());
    return bytes;
  }
  const bool has_missed = reader.position < held_at_;  // It was started again.
  const std::uint64_t end_of_held = held_at_ + held_.size();
  if (has_missed || (ended_ && reader.position == end_of_held)) {
    last = true;
    return "";
  }
  std::string bytes = held_.substr(static_cast<std::size_t>(reader.position - held_at_), most);
  last = ended_ && reader.position + bytes.size() == end_of_held;
  return bytes;
}

void JobInput::drop_taken() {
  std::uint64_t taken = held_at_ + held_.size();
  for (const auto& [rank, reader] : readers_)
    if (reader.position >= held_at_) taken = std::min(taken, reader.position);
  held_.erase(0, static_cast<std::size_t>(taken - held_at_));
  held_at_ = taken;
}

std::vector<Outgoing> JobInput::advance() {
  std::vector<Outgoing> messages;
  read_stream();
  for (auto each = readers_.begin(); each != readers_.end();) {
    auto& [rank, reader] = *each;
    bool last = false;
    while (reader.wanted > reader.position && !last) {
      std::string bytes = bytes_for(reader, last);
      if (bytes.empty() && !last) break;
      reader.position += bytes.size();
      messages.push_back({{reader.node}, protocol::Input{rank, std::move(bytes), last}});
    }
    each = last ? readers_.erase(each) : std::next(each);
  }
  drop_taken();
  return messages;
}

bool JobInput::is_unread() const {
  struct stat facts {};
  if (was_wanted_ || !from_ || ::fstat(from_.get(), &facts) != 0) return false;
  if (is_file_) return static_cast<std::uint64_t>(facts.st_size) > begin_;
  pollfd waiting{from_.get(), POLLIN, 0};
  const bool is_stream = S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode);
  return is_stream && ::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
}

}  // namespace adarun::launcher
