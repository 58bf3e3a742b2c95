// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job/observer.h"

namespace adarun::launcher {

/// Forwards events to several observers, in order. Borrows them.
class Observers : public JobObserver {
 public:
  explicit Observers(std::vector<JobObserver*> observers) : observers_(std::move(observers)) {}

  void on_greeted(std::uint32_t node, const protocol::Hello& hello) override {
    for (auto* each : observers_) each->on_greeted(node, hello);
  }
  void on_step(std::uint32_t node, const LinkStep& step) override {
    for (auto* each : observers_) each->on_step(node, step);
  }
  void on_plan_sent() override {
    for (auto* each : observers_) each->on_plan_sent();
  }
  void on_joined(std::uint32_t rank) override {
    for (auto* each : observers_) each->on_joined(rank);
  }
  void on_fence(const protocol::FenceDone& fence) override {
    for (auto* each : observers_) each->on_fence(fence);
  }
  void on_lost(std::uint32_t node, const std::string& reason) override {
    for (auto* each : observers_) each->on_lost(node, reason);
  }
  void on_staging(const StageProgress& progress) override {
    for (auto* each : observers_) each->on_staging(progress);
  }
  void on_ready(std::uint32_t node, const protocol::Ready& ready) override {
    for (auto* each : observers_) each->on_ready(node, ready);
  }
  void on_started(const protocol::Started& started) override {
    for (auto* each : observers_) each->on_started(started);
  }
  void on_left(std::uint32_t rank) override {
    for (auto* each : observers_) each->on_left(rank);
  }
  void on_output(std::uint32_t rank, protocol::Stream stream, std::string_view bytes) override {
    for (auto* each : observers_) each->on_output(rank, stream, bytes);
  }
  void on_halted(std::uint32_t rank, int signal) override {
    for (auto* each : observers_) each->on_halted(rank, signal);
  }
  void on_exited(std::uint32_t rank, const RankRecord& record) override {
    for (auto* each : observers_) each->on_exited(rank, record);
  }
  void on_examined(const ExaminedRank& examined) override {
    for (auto* each : observers_) each->on_examined(examined);
  }
  std::optional<std::uint64_t> step_of(std::uint32_t rank) const override {
    for (const auto* each : observers_)
      if (const auto step = each->step_of(rank)) return step;
    return std::nullopt;
  }
  void on_failure(const Failure& failure) override {
    for (auto* each : observers_) each->on_failure(failure);
  }
  void on_members(const protocol::Members& members, const std::string& why) override {
    for (auto* each : observers_) each->on_members(members, why);
  }
  void on_replaced(std::uint32_t node, const std::string& lost) override {
    for (auto* each : observers_) each->on_replaced(node, lost);
  }
  void on_stopping(const protocol::Stop& stop) override {
    for (auto* each : observers_) each->on_stopping(stop);
  }
  void on_forwarded(int signal) override {
    for (auto* each : observers_) each->on_forwarded(signal);
  }
  void on_tick() override {
    for (auto* each : observers_) each->on_tick();
  }
  bool has_room() const override {
    return std::all_of(observers_.begin(), observers_.end(),
                       [](const auto* each) { return each->has_room(); });
  }
  bool wants_resize() const override {
    return std::any_of(observers_.begin(), observers_.end(),
                       [](const auto* each) { return each->wants_resize(); });
  }
  void on_notice(const std::string& text) override {
    for (auto* each : observers_) each->on_notice(text);
  }

 private:
  std::vector<JobObserver*> observers_;
};

}  // namespace adarun::launcher
