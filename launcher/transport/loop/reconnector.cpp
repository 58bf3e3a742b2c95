// SPDX-License-Identifier: Apache-2.0
#include "launcher/transport/loop/reconnector.h"

#include <algorithm>
#include <array>
#include <climits>
#include <exception>
#include <utility>

#include "launcher/protocol/archive.h"

namespace adarun::launcher {
namespace {

// A network that is cut drops the first packets of a connection, and the kernel retransmits them at growing
// intervals: so tries are short at first.
constexpr std::chrono::milliseconds first_try{3'000};
constexpr std::chrono::milliseconds longest_try{20'000};
constexpr std::chrono::milliseconds first_pause{50};
constexpr int most_doublings = 8;

// What a login shell prints before the agent answers is less.
constexpr std::size_t most_heard_bytes = 1U << 20U;

std::chrono::milliseconds grown(std::chrono::milliseconds first, int doublings,
                                std::chrono::milliseconds longest) {
  return std::min(longest, first * (1 << std::min(doublings, most_doublings)));
}

bool is_absolute_path(const std::string& word) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return word.starts_with('/') && word.size() < PATH_MAX &&
         std::none_of(word.begin(), word.end(), is_control);
}

// An absolute path, "--resume", an absolute path, without control characters.
void require_resume_command(const std::vector<std::string>& command) {
  if (command.size() != 3 || !is_absolute_path(command[0]) || command[1] != "--resume" ||
      !is_absolute_path(command[2]))
    throw protocol::Error("rendezvous: wanted /PROGRAM --resume /SOCKET");
}

}  // namespace

void Reconnector::offer(const std::vector<std::string>& command) {
  require_resume_command(command);
  command_ = command;
}

void Reconnector::begin(const std::string& why, Clock::time_point now) {
  if (cut_reason_.empty()) {
    cut_reason_ = why;
    events_.push({node_, LinkCut{why}});
  }
  if (search_) return;
  if (now >= found_at_ + longest_pause) fruitless_ = 0;
  search_.emplace(Search{command_, now, std::max(fruitless_ - 1, 0)});
  if (fruitless_ > 0) search_->due += next_pause();
}

Reconnector::State Reconnector::advance(Clock::time_point now) {
  State state = State::trying;
  try {
    state = try_link(now);
  } catch (const std::exception& error) {
    fail(error.what(), now);
  }
  if (state == State::resumed) {
    found_at_ = now;
    ++fruitless_;
  }
  if (state != State::trying || told_ == search_->reason) return state;
  told_ = search_->reason;
  if (!told_.empty()) events_.push({node_, LinkRemark{"no way back yet: " + told_}});
  return state;
}

Reconnector::State Reconnector::try_link(Clock::time_point now) {
  Search& search = *search_;
  if (!search.link && now < search.due) return State::trying;
  if (!search.link) {
    search.link = relink_(search.command);
    search.heard_bytes = 0;
    search.reader = protocol::FrameReader(protocol::Opening::magic);
    search.due = now + grown(first_try, search.tries, longest_try);
  }
  if (now >= search.due) {
    fail("no answer in time", now);
    return State::trying;
  }
  search.is_open = search.is_open || search.link->open();
  search.may_have_switched = search.may_have_switched || search.is_open;
  return search.is_open ? listen() : State::trying;
}

Reconnector::State Reconnector::listen() {
  Search& search = *search_;
  std::array<char, 65536> buffer;  // NOLINT: filled by read
  while (const std::size_t size = search.link->read(buffer)) {
    search.heard_bytes += size;
    if (search.heard_bytes > most_heard_bytes) {
      fail("its agent does not answer among all that is sent from there", Clock::now());
      return State::trying;
    }
    search.reader.feed({buffer.data(), size});
    const auto first = search.reader.next();
    if (!first) continue;
    if (const auto* resumed = std::get_if<protocol::Resumed>(&*first)) {
      search.position = resumed->position;
      return State::resumed;
    }
    if (std::holds_alternative<protocol::Done>(*first)) {
      search.reason = "its agent is gone";
      return State::gone;
    }
    const auto* failed = std::get_if<protocol::Failed>(&*first);
    search.reason = failed != nullptr ? failed->message : "what answers there is no agent of this job";
    return State::refused;
  }
  if (search.link->ended()) {
    const std::string words = search.link->status_text();
    if (search.link->ended_for_good()) {
      search.reason = words;
      return State::gone;
    }
    fail(words.empty() ? "the connection ended before the agent answered" : words, Clock::now());
  }
  return State::trying;
}

void Reconnector::fail(const std::string& reason, Clock::time_point now) {
  search_->reason = reason;
  closing_.add(std::move(search_->link));
  search_->is_open = false;
  ++search_->tries;
  search_->due = now + next_pause();
}

std::chrono::milliseconds Reconnector::next_pause() {
  const auto full = grown(first_pause, search_->pauses++, longest_pause);
  std::uniform_int_distribution<std::int64_t> drawn(full.count() / 2, full.count());
  return std::chrono::milliseconds(drawn(chance_));
}

std::unique_ptr<Link> Reconnector::take_link() {
  std::unique_ptr<Link> link = std::move(search_->link);
  search_.reset();
  return link;
}

void Reconnector::confirm() {
  if (search_ && !search_->may_have_switched) stop();
  if (cut_reason_.empty()) return;
  cut_reason_.clear();
  told_.clear();
  events_.push({node_, LinkResumed{}});
}

void Reconnector::cancel() {
  stop();
  relink_ = nullptr;
}

void Reconnector::stop() {
  if (search_) closing_.add(std::move(search_->link));
  search_.reset();
}

}  // namespace adarun::launcher
