// SPDX-License-Identifier: Apache-2.0
#include "adasum/communicators/mailboxes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "adasum/communicators/fiber.h"
#include "adasum/types/error.h"

namespace adasum {
namespace {

std::string text_of(const Route& route) {
  return "rank " + std::to_string(route.to) + " waiting for rank " + std::to_string(route.from);
}

}  // namespace

void Mailboxes::post(const Route& route, std::span<const std::byte> message) {
  std::vector<std::byte> copy(message.begin(), message.end());
  const std::lock_guard lock(mutex_);
  Box& box = boxes_[route];
  box.messages.push(std::move(copy));
  box.arrived.notify_one();
}

void Mailboxes::take(const Route& route, std::span<std::byte> message) {
  const auto found = next(route);
  if (found.size() != message.size()) {
    throw Error(text_of(route) + ": got " + std::to_string(found.size()) + " bytes, wanted " +
                std::to_string(message.size()));
  }
  std::copy(found.begin(), found.end(), message.begin());
}

std::vector<std::byte> Mailboxes::next(const Route& route) {
  std::unique_lock lock(mutex_);
  Box& box = boxes_[route];
  const auto is_over = [&] { return !box.messages.empty() || failed_; };
  for (bool pauses = true; pauses && !is_over();) {
    lock.unlock();
    pauses = Fiber::pause();
    lock.lock();
  }
  box.arrived.wait_for(lock, deadline_, is_over);
  if (box.messages.empty()) {
    throw Error(
        text_of(route) + ": " +
        (failed_ ? "another rank failed" : "nothing came in " + std::to_string(deadline_.count()) + " ms"));
  }
  auto message = std::move(box.messages.front());
  box.messages.pop();
  return message;
}

void Mailboxes::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  for (auto& [route, box] : boxes_) box.arrived.notify_all();
}

int Mailboxes::new_world() {
  const std::lock_guard lock(mutex_);
  return worlds_++;
}

}  // namespace adasum
