// SPDX-License-Identifier: Apache-2.0
#include "cli/view/loss_view.h"

#include <cstdio>
#include <utility>

#include "base/clean_text.h"
#include "base/describe.h"
#include "base/wall_clock.h"
#include "monitor/view/summary.h"

namespace adarun::cli {
namespace {

monitor::ProcessState shown(launcher::RankState state) {
  switch (state) {
    case launcher::RankState::waiting:
      return monitor::ProcessState::waiting;
    case launcher::RankState::running:
      return monitor::ProcessState::running;
    case launcher::RankState::done:
      return monitor::ProcessState::done;
    case launcher::RankState::failed:
      return monitor::ProcessState::failed;
    case launcher::RankState::stopped:
      return monitor::ProcessState::stopped;
    case launcher::RankState::lost:
      return monitor::ProcessState::lost;
  }
  return monitor::ProcessState::unknown;
}

}  // namespace

LossView::LossView(BackgroundOutput& output, bool color, std::uint64_t epochs, std::string last_line,
                   Before before)
    : JobView(output),
      style_(monitor::style_for(output.own_out(), color)),
      last_line_(std::move(last_line)),
      before_(std::move(before)),
      view_(output.out(), style_) {
  if (epochs > 0) view_.run().expect_epochs(epochs);
}

void LossView::begin(const launcher::Plan& plan) {
  if (*before_) {
    view_ = monitor::LiveView(output().out(), style_, std::move(**before_));
    const std::string& change = plan.earlier.back().change;
    view_.next_attempt(plan.earlier.size() + 1, change.empty() ? "restart" : change);
  }
  plan_ = &plan;
  nodes_ = plan.nodes.size();
  node_index_ = plan.node_of_rank;
  for (const std::uint32_t node : plan.node_of_rank) node_of_rank_.push_back(plan.nodes[node].host.name);
  view_.run().expect(static_cast<std::uint32_t>(plan.world_size()));
  view_.set_node_names([this](std::uint32_t rank) { return node_of_rank_[rank]; });
  say(plan.title() + ": " + base::counted(plan.world_size(), "rank") + " on " +
      base::counted(nodes_, "node"));
}

void LossView::on_greeted(std::uint32_t /*node*/, const launcher::protocol::Hello& /*hello*/) {
  if (++greeted_ == nodes_)
    say(nodes_ == 1 ? "connected" : "connected to all " + base::counted(nodes_, "node"));
}

void LossView::on_started(const launcher::protocol::Started& started) {
  view_.run().set_state(started.rank, monitor::ProcessState::running);
}

void LossView::on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) {
  if (stream == launcher::protocol::Stream::out) {
    view_.feed(rank, bytes, base::now_ns() / 1'000'000);
    return;
  }
  errors_.try_emplace(rank, base::log_lines).first->second.feed_each(bytes, [&](std::string_view line) {
    print_error(rank, line);
  });
}

void LossView::print_error(std::uint32_t rank, std::string_view line) {
  if (!shows(rank, line.size(), output().out())) return;
  view_.print_above("[" + std::to_string(rank) + "] " + std::string(line));
}

void LossView::end_errors(std::uint32_t rank) {
  const auto found = errors_.find(rank);
  if (found == errors_.end()) return;
  found->second.finish_each([&](std::string_view line) { print_error(rank, line); });
  errors_.erase(found);
}

void LossView::on_lost(std::uint32_t node, const std::string& /*reason*/) {
  for (std::uint32_t rank = 0; rank < node_of_rank_.size(); ++rank) {
    if (node_index_[rank] != node) continue;
    end_errors(rank);
    if (view_.run().ranks().at(rank).state == monitor::ProcessState::running)
      view_.run().set_state(rank, monitor::ProcessState::lost);
  }
}

void LossView::on_replaced(std::uint32_t node, const std::string& /*lost*/) {
  for (std::uint32_t rank = 0; rank < node_of_rank_.size(); ++rank)
    if (node_index_[rank] == node) node_of_rank_[rank] = plan_->nodes[node].host.name;
}

void LossView::on_exited(std::uint32_t rank, const launcher::RankRecord& record) {
  end_errors(rank);
  view_.run().set_state(rank, shown(record.state));
}

void LossView::on_tick() {
  const bool keeps_up = output().waiting_bytes(output().out()) < TerminalShare::room;
  view_.run().pass_on_late(base::now_ns() / 1'000'000);
  if (has_room() && keeps_up) view_.tick(monitor::LiveView::Clock::now());
  say_what_was_not_shown(Notice::now_and_then);
}

void LossView::end() {
  while (!errors_.empty()) end_errors(errors_.begin()->first);
  say_what_was_not_shown(Notice::last);
  view_.finish();
  const auto node = [this](std::uint32_t rank) { return node_of_rank_[rank]; };
  if (view_.run().has_loss()) {
    std::vector<std::string> lines = monitor::summary_lines(monitor::summary_of(view_.run()), node);
    if (!last_line_.empty()) lines.push_back(last_line_);
    for (const std::string& line : lines) std::fprintf(output().out(), "%s\n", line.c_str());
  }
  std::fflush(output().out());
  *before_ = std::move(view_);
  ended_ = true;
}

void LossView::say(const std::string& line) {
  if (ended_ || !style_.interactive) {
    std::fprintf(output().err(), "adarun: %s\n", base::clean_line(line).c_str());
    std::fflush(output().err());
  } else {
    view_.print_above("adarun: " + line);
  }
}

MakeView loss_view(bool color, std::uint64_t epochs, const std::string& last_line) {
  const auto before = std::make_shared<std::optional<monitor::LiveView>>();
  return [=](BackgroundOutput& output) {
    return std::make_unique<LossView>(output, color, epochs, last_line, before);
  };
}

}  // namespace adarun::cli
