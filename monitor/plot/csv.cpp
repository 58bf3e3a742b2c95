// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/csv.h"

#include <array>
#include <charconv>

namespace adarun::monitor::plot {
namespace {

constexpr std::size_t piece_bytes = 1U << 16U;

// Quoted if it contains a separator or a quote.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

template <typename Number>
void add(std::string& line, Number number) {
  std::array<char, 40> text{};
  line += ',';
  line.append(text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr);
}

void add_losses(std::string& line, const Point& point) {
  if (point.finite == 0) {
    line += ",nan,nan,nan";
    return;
  }
  add(line, point.mean);
  add(line, point.min);
  add(line, point.max);
}

}  // namespace

std::string csv_heading() {
  return "run,rank,position,epoch,step,loss,min,max,not_finite\n";
}

void csv_lines(std::string_view name, const Run& run, const std::function<void(std::string_view)>& out) {
  const std::string first = field(name);
  std::string lines;
  for (const auto& [number, rank] : run.ranks()) {
    for (const Point& point : rank.series.points()) {
      lines += first;
      add(lines, number);
      add(lines, point.position);
      add(lines, point.epoch);
      add(lines, point.step);
      add_losses(lines, point);
      add(lines, point.not_finite);
      lines += '\n';
      if (lines.size() < piece_bytes) continue;
      out(lines);
      lines.clear();
    }
  }
  out(lines);
}

}  // namespace adarun::monitor::plot
