// SPDX-License-Identifier: Apache-2.0
#include "monitor/view/block.h"

#include <algorithm>

namespace adarun::monitor {
namespace {

constexpr std::string_view hide_cursor = "\x1b[?25l";
constexpr std::string_view show_cursor = "\x1b[?25h";
constexpr std::string_view clear_line_end = "\x1b[K";
constexpr std::string_view clear_below = "\x1b[J";

}  // namespace

// Moves to the first row of the block. A terminal that became narrower has wrapped its lines into more rows.
std::string Block::to_begin(int width, int height) const {
  int rows = 0;
  for (const int columns : drawn_) rows += std::max(1, (columns + width - 1) / width);
  const int up = std::min(rows, height) - 1;
  std::string bytes = "\r";
  if (up > 0) bytes += "\x1b[" + std::to_string(up) + "A";
  return bytes;
}

void Block::draw(const std::vector<Line>& lines, int width, int height) {
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
  for (const Line& line : lines) drawn_.push_back(line.columns());
  write(frame);
}

void Block::print_above(std::string_view line) {
  above_ += line;
  above_ += "\r\n";
}

void Block::leave() {
  if (!drawn_.empty()) write("\r\n");
  drawn_.clear();
}

void Block::write(const std::string& bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), out_);
  std::fflush(out_);
}

}  // namespace adarun::monitor
