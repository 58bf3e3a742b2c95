// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "monitor/view/text.h"

namespace adarun::monitor {

/// A block of lines at the bottom of a terminal that is redrawn in place. Each frame is one write that leaves
/// the cursor visible behind the block, so that the terminal is in order whenever the program ends, however
/// it ends. No alternate screen: what scrolled by above stays. Does nothing to the terminal before the first
/// draw.
class Block {
 public:
  explicit Block(std::FILE* out) : out_(out) {}

  /// A line that the next `draw` puts above the block.
  void print_above(std::string_view line);

  /// How many bytes wait for the next `draw`.
  std::size_t waiting_bytes() const { return above_.size(); }

  /// Draws the lines over the last ones; the terminal is `width` columns wide and `height` lines high.
  void draw(const std::vector<Line>& lines, int width, int height);

  /// Leaves the block where it is and the cursor on the line below.
  void leave();

 private:
  std::string to_begin(int width, int height) const;
  void write(const std::string& bytes);

  std::FILE* out_;
  std::string above_;
  std::vector<int> drawn_;  ///< The columns of each line that is on the screen.
};

}  // namespace adarun::monitor
