// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/live_view.h"

#include "monitor/view/run_view.h"

namespace adarun::monitor {

LiveView::LiveView(std::FILE* out, const Style& style, Clock::time_point start)
    : out_(out), style_(style), block_(out), start_(start), next_redraw_(start) {}

void LiveView::tick(Clock::time_point now) {
  constexpr std::chrono::milliseconds between_redraws(200);
  if (!style_.interactive) {
    for (const std::string& line : plain_.due(run_, now)) print_above(line);
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

void LiveView::finish(Clock::time_point now) {
  std::vector<std::uint32_t> numbers;
  for (const auto& [number, rank] : run_.ranks()) numbers.push_back(number);
  for (const std::uint32_t number : numbers) run_.finish(number);
  if (style_.interactive) {
    redraw(now);
    block_.leave();
  } else {
    for (const std::string& line : plain_.rest(run_)) print_above(line);
  }
}

void LiveView::redraw(Clock::time_point now) {
  follow_size(style_);
  if (run_.has_loss()) rate_.note(now, run_.position());
  const Pace pace{rate_.steps_per_s(), std::chrono::duration_cast<std::chrono::seconds>(now - start_)};
  block_.draw(draw_run(run_, pace, style_), style_.width, style_.height);
}

}  // namespace adarun::monitor
