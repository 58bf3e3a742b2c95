// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/live_view.h"

#include <algorithm>

namespace adarun::monitor {
namespace {

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view clear_line_end = "\x1b[K";
constexpr std::string_view clear_below = "\x1b[J";

}  // namespace

// Moves the cursor to the first row of the block. If the terminal became narrower, the lines have wrapped
// into more rows.
std::string TerminalBlock::to_begin(int width, int height) const {
  int rows = 0;
  for (const int columns : drawn_) rows += std::max(1, (columns + width - 1) / width);
  const int up = std::min(rows, height) - 1;
  std::string bytes = "\r";
  if (up > 0) bytes += "\x1b[" + std::to_string(up) + "A";
  return bytes;
}

void TerminalBlock::draw(const std::vector<StyledLine>& lines, int width, int height) {
  std::string frame(hide_cursor);
  frame += to_begin(width, height);
  if (!above_.empty()) frame += std::string(clear_below) + above_;
  above_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) frame += "\r\n";
    frame += lines[i].bytes();
    if (lines[i].columns() < width) frame += clear_line_end;
  }
  frame += clear_below;
  frame += show_cursor;
  drawn_.clear();
  for (const StyledLine& line : lines) drawn_.push_back(line.columns());
  write(frame);
}

void TerminalBlock::print_above(std::string_view line) {
  above_ += line;
  above_ += "\r\n";
}

void TerminalBlock::leave() {
  if (!drawn_.empty()) write("\r\n");
  drawn_.clear();
}

void TerminalBlock::write(const std::string& bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
  std::fflush(out_);
}

LiveView::LiveView(std::FILE* out, const Style& style, Clock::time_point start)
    : out_(out), style_(style), block_(out), start_(start), next_redraw_(start), next_search_(start) {}

LiveView::LiveView(std::FILE* out, const Style& style, LiveView before)
    : LiveView(out, style, before.start_) {
  run_ = std::move(before.run_);
  plain_ = before.plain_;
  shown_ = before.shown_;
}

void LiveView::feed(std::uint32_t rank, std::string_view bytes, std::int64_t time_ms) {
  run_.feed(rank, bytes, time_ms);
  moves_ = time_ms != 0;
}

void LiveView::next_attempt(std::uint64_t number, const std::string& change) {
  run_.next_attempt(number, change);
  context_.findings.clear();
  printed_.clear();
  if (shown_) print_above("attempt " + std::to_string(number) + ": " + change);
}

void LiveView::set_elapsed(std::optional<std::chrono::seconds> elapsed) {
  knows_elapsed_ = true;
  context_.elapsed = elapsed;
}

void LiveView::tick(Clock::time_point now) {
  constexpr std::chrono::milliseconds between_redraws(200);
  shown_ = true;
  if (!style_.interactive) {
    for (const std::string& line : plain_.due(run_, now)) print_above(line);
    look_for_findings(now);
  } else if (now >= next_redraw_) {
    redraw(now);
    next_redraw_ = now + between_redraws;
  }
}

void LiveView::print_above(std::string_view line) {
  constexpr std::size_t most_waiting_bytes = 64U << 10U;
  if (style_.interactive) {
    block_.print_above(printable(line));
    if (block_.waiting_bytes() > most_waiting_bytes) redraw(Clock::now());
    return;
  }
  const std::string text = printable(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

bool LiveView::press(const Key& key) {
  next_redraw_ = {};
  return context_.state.press(key, run_);
}

void LiveView::finish(Clock::time_point now) {
  run_.finish_all();
  next_search_ = now;
  context_.over = true;
  if (style_.interactive) {
    context_.has_keys = context_.state.help = false;
    redraw(now);
    block_.leave();
  } else {
    for (const std::string& line : plain_.rest(run_)) print_above(line);
    look_for_findings(now);
  }
}

void LiveView::redraw(Clock::time_point now) {
  follow_size(style_);
  look_for_findings(now);
  if (run_.has_loss() && moves_) rate_.note(now, run_.position());
  context_.steps_per_s = rate_.steps_per_s();
  if (!knows_elapsed_) context_.elapsed = std::chrono::duration_cast<std::chrono::seconds>(now - start_);
  block_.draw(draw_run(run_, context_, style_), style_.width, style_.height);
}

// Runs at most once a second and uses at most a twentieth of the time, however long the run is.
void LiveView::look_for_findings(Clock::time_point now) {
  if (now < next_search_) return;
  const Clock::time_point begin = Clock::now();
  context_.findings = findings(run_);
  const auto took = Clock::now() - begin;
  next_search_ = now + std::max<Clock::duration>(std::chrono::seconds(1), 20 * took);
  if (!style_.interactive) print_new_findings();
}

void LiveView::print_new_findings() {
  for (const RunFinding& finding : context_.findings) {
    // There may be several spikes. The highest point of one that continues is sometimes of another rank.
    const bool is_spike = finding.fault == Fault::spike;
    const auto key = is_spike ? std::tuple(finding.fault, std::optional<std::uint32_t>(), finding.begin)
                              : std::tuple(finding.fault, finding.rank, std::uint64_t{0});
    if (!printed_.insert(key).second) continue;
    print_above(std::string(name_of(finding.fault)) + ": " + finding_text(finding, context_.node_of));
  }
}

}  // namespace adarun::monitor
