// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/step_reader.h"

#include "monitor/parse/keyword.h"
#include "monitor/parse/loss_line.h"

namespace adarun::monitor {

bool StepReader::feed(std::uint32_t rank, std::size_t stream, std::string_view bytes) {
  RankProgress& its = ranks_[rank];
  base::LineCutter& cutter = its.streams[stream];
  if (bytes.size() > most_bytes) {
    bytes.remove_prefix(bytes.size() - most_bytes);
    bytes.remove_prefix(base::line_length(bytes, line_rules.end));
    cutter.reset();
  }
  const std::optional<std::uint64_t> before = step_of(rank);
  cutter.feed_each(bytes, [&](std::string_view line) {
    if (find_keyword(line, 0) == std::string_view::npos) return;
    if (const auto loss = parse_loss_line(line)) its.last = clock_.place(its.last, *loss);
  });
  return step_of(rank) != before;
}

std::optional<std::uint64_t> StepReader::step_of(std::uint32_t rank) const {
  const std::optional<Sample>& last = ranks_[rank].last;
  return last ? std::optional(last->position) : std::nullopt;
}

}  // namespace adarun::monitor
