// SPDX-License-Identifier: Apache-2.0
#include "cli/view/output_view.h"

#include "base/clean_text.h"
#include "cli/logs/log_printer.h"

namespace adarun::cli {
namespace {

// Longer lines are printed in pieces of this size.
constexpr std::size_t most_line_bytes = 64U << 10U;

base::LineRules rules_for(OutputOptions::Tags tags) {
  const bool as_is = tags == OutputOptions::Tags::none;
  return {base::LineEnd::newline, as_is ? base::Overlong::unchanged : base::Overlong::split, most_line_bytes};
}

// The end report names the failure; if ranks take longer than this to end, it is also printed at once.
constexpr std::chrono::milliseconds quick_end{1'000};

}  // namespace

void OutputView::begin(const launcher::Plan& plan) {
  role_of_rank_.clear();
  for (std::uint32_t rank = 0; !plan.options.roles.empty() && rank < plan.world_size(); ++rank)
    role_of_rank_.push_back(plan.role_of(rank)->name);
  if (shown_.tags != OutputOptions::Tags::folded) return;
  const std::size_t ranks = shown_.only.empty() ? plan.world_size() : shown_.only.size();
  for (const auto stream : {launcher::protocol::Stream::out, launcher::protocol::Stream::err})
    folders_.try_emplace(stream, ranks);
}

void OutputView::on_output(std::uint32_t rank, launcher::protocol::Stream stream, std::string_view bytes) {
  if (shown_.errors_only && stream == launcher::protocol::Stream::out) return;
  if (!shown_.only.empty() && shown_.only.count(rank) == 0) return;
  const Key key{rank, stream};
  std::string lines;
  cut_.try_emplace(key, rules_for(shown_.tags)).first->second.feed(bytes, [&](std::string_view some) {
    lines += some;
  });
  if (shows(rank, lines.size(), stream_of(stream))) print(key, lines);
}

void OutputView::on_exited(std::uint32_t rank, const launcher::RankRecord& /*record*/) {
  flush(rank);
}

void OutputView::on_failure(const launcher::Failure& failure) {
  if (!failure_.empty()) return;
  failure_ = failure.message;
  say_stopping_ = Clock::now() + quick_end;
}

void OutputView::on_tick() {
  for (auto& [stream, folder] : folders_) {
    const std::string lines = folder.take(Clock::now());
    std::fwrite(lines.data(), 1, lines.size(), stream_of(stream));
  }
  if (!folders_.empty()) std::fflush(output().err());
  std::fflush(output().out());
  say_what_was_not_shown(Notice::now_and_then);
  if (!say_stopping_ || Clock::now() < *say_stopping_) return;
  say(failure_ + "; stopping the job");
  say_stopping_.reset();
}

void OutputView::end() {
  for (auto& [key, lines] : cut_) finish(key, lines);
  for (std::FILE* stream : {output().out(), output().err()})
    if (output().is_terminal(stream)) end_open_line(stream);
  for (auto& [stream, folder] : folders_) {
    const std::string lines = folder.take_all();
    std::fwrite(lines.data(), 1, lines.size(), stream_of(stream));
  }
  say_what_was_not_shown(Notice::last);
}

void OutputView::say(const std::string& line) {
  std::fflush(output().out());
  end_open_line(output().err());
  std::fprintf(output().err(), "adarun: %s\n", base::clean_line(line).c_str());
  std::fflush(output().err());
}

void OutputView::flush(std::uint32_t rank) {
  for (const auto stream : {launcher::protocol::Stream::out, launcher::protocol::Stream::err}) {
    const auto found = cut_.find({rank, stream});
    if (found == cut_.end()) continue;
    finish(found->first, found->second);
    cut_.erase(found);
  }
}

void OutputView::finish(const Key& key, base::LineCutter& cutter) {
  cutter.finish([&](std::string_view line) { print(key, line); });
}

void OutputView::print(const Key& key, std::string_view lines) {
  std::FILE* out = stream_of(key.second);
  switch (shown_.tags) {
    case OutputOptions::Tags::none:
      pass_on(key, lines);
      break;
    case OutputOptions::Tags::ranks:
      write_tagged(out, tag_of(key.first), lines);
      break;
    case OutputOptions::Tags::folded:
      fold(key, lines);
      break;
  }
}

void OutputView::pass_on(const Key& key, std::string_view bytes) {
  if (bytes.empty()) return;
  std::FILE* out = stream_of(key.second);
  if (const auto open = open_lines_.find(out); open != open_lines_.end() && open->second != key)
    end_open_line(out);
  std::fwrite(bytes.data(), 1, bytes.size(), out);
  if (bytes.back() == '\n') {
    open_lines_.erase(out);
  } else {
    open_lines_[out] = key;
  }
}

void OutputView::end_open_line(std::FILE* out) {
  if (open_lines_.erase(out) > 0) std::fputc('\n', out);
}

std::string OutputView::tag_of(std::uint32_t rank) const {
  return "[" + std::to_string(rank) + (role_of_rank_.empty() ? "" : " " + role_of_rank_[rank]) + "] ";
}

void OutputView::fold(const Key& key, std::string_view lines) {
  LineFolder& folder = folders_.at(key.second);
  const Clock::time_point now = Clock::now();
  base::for_each_line(lines, base::LineEnd::newline, [&](std::string_view line) {
    folder.add(key.first, line, now);
    if (!folder.full()) return;
    const std::string first = folder.take(now);
    std::fwrite(first.data(), 1, first.size(), stream_of(key.second));
  });
}

std::FILE* OutputView::stream_of(launcher::protocol::Stream stream) const {
  return stream == launcher::protocol::Stream::out ? output().out() : output().err();
}

}  // namespace adarun::cli
