// SPDX-License-Identifier: Apache-2.0
#include "launcher/job/hang_inquiry.h"

#include <algorithm>

#include "launcher/describe.h"

namespace adarun::launcher {
namespace {

constexpr std::size_t most_examined = 4;

}  // namespace

std::optional<HangInquiry::Clock::time_point> HangInquiry::deadline() const {
  return examination_ ? examination_->end() : watch_.deadline();
}

std::optional<Failure> HangInquiry::tick(Clock::time_point now, Nodes& nodes) {
  if (!watch_.deadline() || now < *watch_.deadline()) return std::nullopt;
  if (!examination_) examine(now, nodes);
  return now < examination_->end() ? std::nullopt : verdict(now);
}

std::optional<Failure> HangInquiry::take(const wire::Answer& answer, Clock::time_point now) {
  return examination_ && examination_->take(answer) ? verdict(now) : std::nullopt;
}

// Those furthest behind; the first of them holds up the others.
std::vector<std::uint32_t> HangInquiry::suspects() const {
  return watch_.suspects([this](std::uint32_t rank) { return observer_.step_of(rank); });
}

void HangInquiry::examine(Clock::time_point now, Nodes& nodes) {
  examination_.emplace(now);
  const std::vector<std::uint32_t> all = suspects();
  for (std::size_t i = 0; i < std::min(all.size(), most_examined); ++i)
    nodes.send(plan_.node_of_rank[all[i]], examination_->question(all[i], ranks_.records()[all[i]].pid));
}

std::optional<Failure> HangInquiry::verdict(Clock::time_point now) {
  const std::vector<std::uint32_t> all = suspects();
  if (all.empty()) return std::nullopt;
  for (const std::uint32_t each : all)
    if (const auto found = examination_->found().find(each); found != examination_->found().end())
      observer_.on_examined(each, found->second);
  const std::uint32_t rank = all.front();
  std::string how =
      " hangs: silent for " + describe(watch_.silence(rank, now)) + ", as are all ranks that run";
  if (const auto step = observer_.step_of(rank)) how += "; its last step is " + std::to_string(*step);
  return rank_failure(plan_, rank, Failure::Kind::hung, how);
}

}  // namespace adarun::launcher
