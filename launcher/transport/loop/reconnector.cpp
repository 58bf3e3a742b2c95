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

}  // namespace

void require_resume_command(const std::vector<std::string>& command) {
  if (command.size() != 3 || !is_absolute_path(command[0]) || command[1] != "--resume" ||
      !is_absolute_path(command[2]))
    throw protocol::Error("rendezvous: wanted /PROGRAM --resume /SOCKET");
}

Reconnector::Reconnector(MakeLink make_link, ClosingLinks& closing, Clock::time_point now, int fruitless)
    : make_link_(std::move(make_link)), closing_(closing), due_(now), pauses_(std::max(fruitless - 1, 0)) {
  if (fruitless > 0) due_ += next_pause();
}

Reconnector::~Reconnector() {
  closing_.add(std::move(link_));
}

Reconnector::State Reconnector::advance(Clock::time_point now) {
  try {
    if (!link_ && now < due_) return State::trying;
    if (!link_) {
      link_ = make_link_();
      open_ = false;
      heard_bytes_ = 0;
      reader_ = protocol::FrameReader(protocol::Opening::magic);
      due_ = now + grown(first_try, tries_, longest_try);
    }
    if (now >= due_) {
      fail("no answer in time", now);
      return State::trying;
    }
    open_ = open_ || link_->open();
    return open_ ? listen() : State::trying;
  } catch (const std::exception& error) {
    fail(error.what(), now);
    return State::trying;
  }
}

Reconnector::State Reconnector::listen() {
  std::array<char, 65536> buffer;  // NOLINT: filled by read
  while (const std::size_t size = link_->read(buffer)) {
    heard_bytes_ += size;
    if (heard_bytes_ > most_heard_bytes) {
      fail("its agent does not answer among all that is sent from there", Clock::now());
      return State::trying;
    }
    reader_.feed({buffer.data(), size});
    const auto first = reader_.next();
    if (!first) continue;
    if (const auto* resumed = std::get_if<protocol::Resumed>(&*first)) {
      position_ = resumed->position;
      return State::resumed;
    }
    if (std::holds_alternative<protocol::Done>(*first)) {
      reason_ = "its agent is gone";
      return State::gone;
    }
    const auto* failed = std::get_if<protocol::Failed>(&*first);
    reason_ = failed != nullptr ? failed->message : "what answers there is no agent of this job";
    return State::refused;
  }
  if (link_->ended()) {
    const std::string words = link_->status_text();
    if (link_->ended_for_good()) {
      reason_ = words;
      return State::gone;
    }
    fail(words.empty() ? "the connection ended before the agent answered" : words, Clock::now());
  }
  return State::trying;
}

void Reconnector::fail(const std::string& reason, Clock::time_point now) {
  reason_ = reason;
  closing_.add(std::move(link_));
  open_ = false;
  ++tries_;
  due_ = now + next_pause();
}

std::chrono::milliseconds Reconnector::next_pause() {
  const auto full = grown(first_pause, pauses_++, longest_pause);
  std::uniform_int_distribution<std::int64_t> drawn(full.count() / 2, full.count());
  return std::chrono::milliseconds(drawn(chance_));
}

void Resumption::offer(const std::vector<std::string>& command) {
  require_resume_command(command);
  command_ = command;
}

void Resumption::begin(const std::string& why, Reconnector::Clock::time_point now) {
  if (cut_reason_.empty()) {
    cut_reason_ = why;
    events_.push({node_, LinkCut{why}});
  }
  if (reconnector_) return;
  if (now >= found_at_ + Reconnector::longest_pause) fruitless_ = 0;
  reconnector_ = std::make_unique<Reconnector>([this, command = command_] { return relink_(command); },
                                               closing_, now, fruitless_);
}

Reconnector::State Resumption::advance(Reconnector::Clock::time_point now) {
  const Reconnector::State state = reconnector_->advance(now);
  if (state == Reconnector::State::resumed) {
    found_at_ = now;
    ++fruitless_;
  }
  if (state != Reconnector::State::trying || told_ == reconnector_->reason()) return state;
  told_ = reconnector_->reason();
  if (!told_.empty()) events_.push({node_, LinkRemark{"no way back yet: " + told_}});
  return state;
}

void Resumption::confirm() {
  if (reconnector_ && !reconnector_->committed()) reconnector_.reset();
  if (cut_reason_.empty()) return;
  cut_reason_.clear();
  told_.clear();
  events_.push({node_, LinkResumed{}});
}

}  // namespace adarun::launcher
