// SPDX-License-Identifier: Apache-2.0
#include "monitor/plot/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

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
  } else {
    add(line, point.mean);
    add(line, point.min);
    add(line, point.max);
  }
  add(line, point.not_finite);
}

// A row for a place with a loss, with one of a validation, or with both; the other is null.
void add_row(std::string& lines, std::string_view beginning, const Point& place, const Point* loss,
             const Point* validation) {
  lines += beginning;
  add(lines, place.position);
  add(lines, place.epoch);
  add(lines, place.step);
  if (loss != nullptr) add_losses(lines, *loss);
  if (loss == nullptr) lines += ",,,,";
  if (validation == nullptr)
    lines += ',';
  else
    add(lines, validation->finite > 0 ? validation->mean : std::nan(""));
  lines += '\n';
}

// Also ranks that only an earlier attempt had.
std::set<std::uint32_t> numbers_of_ranks(const Run& run) {
  std::set<std::uint32_t> numbers;
  for (const auto& [number, rank] : run.ranks()) numbers.insert(number);
  for (const PastRank& rank : run.past_ranks()) numbers.insert(rank.rank);
  return numbers;
}

}  // namespace

std::string csv_heading() {
  return "run,rank,position,epoch,step,loss,min,max,not_finite,validation\n";
}

void csv_lines(std::string_view name, const Run& run, const std::function<void(std::string_view)>& out) {
  const std::string first = field(name);
  std::string lines;
  for (const std::uint32_t number : numbers_of_ranks(run)) {
    std::string beginning = first;
    add(beginning, number);
    const std::vector<Point> losses = run.losses_of(number);
    const std::vector<Point> validations = run.validations_of(number);
    auto validation = validations.begin();
    for (auto loss = losses.begin(); loss != losses.end() || validation != validations.end();) {
      const bool has_loss =
          loss != losses.end() && (validation == validations.end() || loss->position <= validation->position);
      const bool has_validation =
          validation != validations.end() && (!has_loss || loss->position == validation->position);
      add_row(lines, beginning, has_loss ? *loss : *validation, has_loss ? &*loss : nullptr,
              has_validation ? &*validation : nullptr);
      if (has_loss) ++loss;
      if (has_validation) ++validation;
      if (lines.size() < piece_bytes) continue;
      out(lines);
      lines.clear();
    }
  }
  out(lines);
}

}  // namespace adarun::monitor::plot
