// SPDX-License-Identifier: Apache-2.0
#include "cli/logs/line_folder.h"

namespace adarun::cli {

void LineFolder::add(std::uint32_t rank, std::string_view line, Clock::time_point now) {
  // Merges only with lines after the rank's last one, so that its lines keep their order.
  std::set<std::uint64_t>& alike = numbers_[std::string(line)];
  const auto found = alike.upper_bound(last_of_[rank]);
  std::uint64_t number = first_number_ + waiting_.size();
  if (found != alike.end()) {
    number = *found;
  } else {
    alike.insert(number);
    waiting_.push_back({std::string(line), {}, now});
    waiting_bytes_ += line.size();
  }
  at(number).ranks.insert(rank);
  last_of_[rank] = number;
}

std::string LineFolder::take(Clock::time_point now) {
  std::string text;
  while (!waiting_.empty()) {
    const Waiting& first = waiting_.front();
    const bool is_due = first.ranks.size() == ranks_ || now - first.since >= longest_wait;
    if (!is_due && !full()) break;
    text += take_first();
  }
  return text;
}

std::string LineFolder::take_all() {
  std::string text;
  while (!waiting_.empty()) text += take_first();
  return text;
}

std::string LineFolder::take_first() {
  const Waiting& first = waiting_.front();
  std::string text = "[" + names_(first.ranks) + "] " + first.line;
  const auto alike = numbers_.find(first.line);
  alike->second.erase(first_number_);
  if (alike->second.empty()) numbers_.erase(alike);
  waiting_bytes_ -= first.line.size();
  waiting_.pop_front();
  ++first_number_;
  return text;
}

}  // namespace adarun::cli
