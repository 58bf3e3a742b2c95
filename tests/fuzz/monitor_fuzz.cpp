// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clean_text.h"
#include "monitor/base/error.h"
#include "monitor/files/open_file.h"
#include "monitor/files/written_time.h"
#include "monitor/parse/line_pattern.h"
#include "monitor/series/run.h"
#include "monitor/view/run_view.h"
#include "monitor/web/access_policy.h"
#include "monitor/web/metrics_file.h"
#include "monitor/web/site.h"
#include "tests/fuzz/fuzz.h"

namespace mon = adarun::monitor;
namespace web = adarun::monitor::web;

namespace {

constexpr std::size_t most_unpacked_bytes = std::size_t{1} << 20;

struct Unpacked {
  std::string bytes;
  bool refused = false;
};

Unpacked unpack(std::string_view packed, std::size_t piece_bytes, std::size_t room_bytes) {
  Unpacked outcome;
  mon::Gunzip gunzip;
  try {
    for (std::size_t end = piece_bytes; outcome.bytes.size() < most_unpacked_bytes;) {
      std::string some;
      const std::string_view piece = packed.substr(0, std::min(end, packed.size()));
      const std::size_t used = gunzip.unpack(piece, some, room_bytes);
      demand(used <= piece.size() && some.size() <= room_bytes);
      outcome.bytes += some;
      packed.remove_prefix(used);
      if (used > 0 || !some.empty()) continue;
      if (end >= packed.size()) break;
      end += piece_bytes;
    }
  } catch (const mon::Error&) {
    outcome.refused = true;
  }
  return outcome;
}

// Any bytes as a packed log: the output, or the error, is the same however they are split. The first byte
// selects the size of the pieces.
void fuzz_gunzip(std::string_view packed) {
  const unsigned choice = take_byte(packed);
  const Unpacked whole = unpack(packed, packed.size() + 1, std::size_t{1} << 16);
  const Unpacked cut = unpack(packed, 1 + choice, std::size_t{1} << 12);
  if (whole.bytes.size() >= most_unpacked_bytes || cut.bytes.size() >= most_unpacked_bytes) return;
  demand(cut.refused == whole.refused);
  demand(whole.refused || cut.bytes == whole.bytes);
}

// Any bytes as lines with times: a reader that remembers the line before gives the same as one that does not.
void fuzz_written_time(std::string_view text) {
  setenv("TZ", "Europe/Berlin", 1);  // Some local times occur twice, and some never.
  adarun::monitor::WrittenTime remembers;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    demand(remembers.in(line) == adarun::monitor::WrittenTime().in(line));
  }
}

// Any bytes as a user's pattern, and as lines to match: the pattern is refused with a message, or each line
// gives values or none.
void fuzz_line_pattern(std::string_view text) {
  try {
    const mon::LinePattern pattern(take_line(text));
    for (int lines = 0; lines < 8 && !text.empty(); ++lines) {
      const auto reading = pattern.read(take_line(text));
      demand(!reading || reading->loss || reading->metrics || reading->validation);
    }
  } catch (const mon::Error& error) {
    demand(!std::string_view(error.what()).empty());
  }
}

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

// Any bytes are a log: they are parsed alike wherever they are split, the run stays in order, and its picture
// fits.
void fuzz_loss_line(std::string_view text) {
  mon::Run whole;
  whole.feed(0, text);
  whole.finish(0);
  check(whole);
  mon::Run cut;
  cut.feed(0, text.substr(0, text.size() / 2));
  cut.feed(0, text.substr(text.size() / 2));
  cut.finish(0);
  demand(cut.merged() == whole.merged());
  demand(cut.merged_validation() == whole.merged_validation());
}

web::RunRegistry& registry() {
  static web::RunRegistry registry({[] { return std::vector<web::JobEntry>(); },
                                    [](const std::string&) -> std::unique_ptr<web::WatchedRun> {
                                      return std::make_unique<web::WatchedRun>(
                                          std::vector<std::filesystem::path>(), "");
                                    },
                                    [](const std::string&) { return web::JobFacts(); }},
                                   {"run"});
  return registry;
}

void answer(std::string_view text) {
  web::PageRequest request{std::string(take_line(text)), {{"id", "run"}}};
  for (const char* name :
       {"axis", "from", "to", "slices", "rank", "x", "at", "lines", "direction", "find", "quantity"})
    request.parameters[name] = take_line(text);
  const int status = web::Site(registry()).answer(request).status;
  demand(status == 200 || status == 400 || status == 404);
}

void decide(std::string_view text) {
  const web::AccessPolicy policy("secret", "node1");
  web::AccessRequest asked{"GET",
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text)),
                           std::string(take_line(text))};
  const bool has_secret = asked.token == "secret" || asked.cookie.find("=secret") != std::string::npos ||
                          asked.authorization.find("secret") != std::string::npos;
  demand(has_secret || !policy.decide(asked).allowed());
}

// Any bytes as a request to the page's server and as a line of a job: answers are complete, and their text is
// UTF-8 without control characters.
void fuzz_page_request(std::string_view text) {
  answer(text);
  decide(text);
  const std::string clean = adarun::base::clean_text(text);
  demand(adarun::base::clean_text(clean) == clean);
  for (const char c : clean) demand(static_cast<unsigned char>(c) >= ' ' || c == '\t');
  web::MetricsFile metrics("none");
  metrics.feed(text);
  try {
    web::parse_listen_address(text);
  } catch (const adarun::monitor::Error&) {
  }
}

const FuzzTargets monitor_targets{
    {"gunzip", fuzz_gunzip},       {"written_time", fuzz_written_time}, {"line_pattern", fuzz_line_pattern},
    {"loss_line", fuzz_loss_line}, {"page_request", fuzz_page_request},
};

}  // namespace
