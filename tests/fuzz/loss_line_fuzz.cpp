// SPDX-License-Identifier: Apache-2.0
// Any bytes are a log: they are parsed alike wherever they are split, the run stays in order, and its picture
// fits.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "monitor/series/run.h"
#include "monitor/view/run_view.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

namespace mon = adarun::monitor;

namespace {

void check(const std::vector<mon::MergedPoint>& curve) {
  std::uint64_t last = 0;
  bool first = true;
  for (const mon::MergedPoint& point : curve) {
    demand(first || point.position > last);
    demand(point.ranks == 0 || (point.min <= point.median && point.median <= point.max));
    last = point.position;
    first = false;
  }
}

void check(const mon::Run& run) {
  check(run.merged());
  check(run.merged_validation());
  const mon::Style style{.width = 50, .height = 14, .color = true};
  const auto lines = mon::draw_run(run, {}, style);
  demand(static_cast<int>(lines.size()) < style.height);
  for (const mon::StyledLine& line : lines) demand(line.columns() <= style.width);
}

}  // namespace

FUZZ_TARGET(loss_line) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mon::Run whole;
  whole.feed(0, text);
  whole.finish(0);
  check(whole);
  mon::Run cut;
  cut.feed(0, text.substr(0, size / 2));
  cut.feed(0, text.substr(size / 2));
  cut.finish(0);
  demand(cut.merged() == whole.merged());
  demand(cut.merged_validation() == whole.merged_validation());
  return 0;
}
