// SPDX-License-Identifier: Apache-2.0
#include "launcher/record/line_times.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "launcher/base/error.h"
#include "launcher/record/files.h"

namespace adarun::launcher {
namespace {

using std::chrono::milliseconds;

// Interval between lines while the file is smaller than `below_bytes`.
struct Spacing {
  std::uint64_t below_bytes;
  milliseconds apart;
};

// With 100 ranks that print continuously, the first part fills in about ten minutes, the last in a month.
constexpr std::array<Spacing, 4> spacings{{{8U << 20U, milliseconds(10)},
                                           {32U << 20U, milliseconds(100)},
                                           {48U << 20U, milliseconds(1'000)},
                                           {64U << 20U, milliseconds(10'000)}}};
constexpr std::uint64_t most_bytes_read = 128U << 20U;  // Twice what is written.
constexpr std::string_view title = "adarun line times 1 ";
constexpr std::uint32_t most_ranks = 1U << 20U;

std::int64_t now_ms() {
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

template <typename Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_mark(std::string_view& text, char mark) {
  if (text.empty() || text.front() != mark) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

LineTimes::LineTimes(const base::OutputFolder& folder, std::size_t ranks,
                     std::optional<std::uint64_t> beginning)
    : new_bytes_(ranks) {
  try {
    file_ = create_file(folder, file_name, shared_mode);
  } catch (const Error&) {
    return;
  }
  write(std::string(title) + (beginning ? std::to_string(*beginning) : "-") + "\n");
}

void LineTimes::add(std::uint32_t rank, std::size_t bytes, Clock::time_point now) {
  if (!file_ || bytes == 0) return;
  tick(now);
  if (with_news_.empty()) {
    const auto spacing = std::find_if(spacings.begin(), spacings.end(),
                                      [this](const Spacing& each) { return size_bytes_ < each.below_bytes; });
    if (spacing == spacings.end()) return file_.reset();
    due_ = now + spacing->apart;
  }
  if (new_bytes_[rank] == 0) with_news_.push_back(rank);
  new_bytes_[rank] += bytes;
}

void LineTimes::tick(Clock::time_point now) {
  if (!with_news_.empty() && now >= due_) write_line();
}

void LineTimes::finish() {
  if (!with_news_.empty()) write_line();
}

void LineTimes::write_line() {
  std::string line = std::to_string(now_ms());
  for (const std::uint32_t rank : with_news_) {
    line += ' ' + std::to_string(rank) + ':' + std::to_string(new_bytes_[rank]);
    new_bytes_[rank] = 0;
  }
  with_news_.clear();
  write(line + '\n');
}

void LineTimes::write(std::string_view text) {
  try {
    write_all(file_.get(), text, file_name);
    size_bytes_ += text.size();
  } catch (const Error&) {
    file_.reset();
  }
}

std::optional<ArrivalTimes> ArrivalTimes::in(const std::filesystem::path& folder) {
  auto text = read_regular_file(folder / LineTimes::file_name, most_bytes_read);
  if (!text) return std::nullopt;
  std::istringstream lines(std::move(*text));
  return read(lines);
}

std::optional<ArrivalTimes> ArrivalTimes::read(std::istream& text) {
  std::string line;
  if (!std::getline(text, line) || !line.starts_with(title)) return std::nullopt;
  ArrivalTimes times;
  std::string_view rest = std::string_view(line).substr(title.size());
  std::uint64_t beginning = 0;
  if (take_number(rest, beginning)) times.beginning_ = beginning;
  while (std::getline(text, line)) times.take_line(line);
  return times;
}

// An incomplete line, such as a truncated last one, is used as far as it goes.
void ArrivalTimes::take_line(std::string_view line) {
  std::int64_t time_ms = 0;
  if (!take_number(line, time_ms)) return;
  std::uint32_t rank = 0;
  std::uint64_t bytes = 0;
  while (take_mark(line, ' ') && take_number(line, rank) && take_mark(line, ':') &&
         take_number(line, bytes)) {
    if (rank >= most_ranks) return;
    if (rank >= stamps_.size()) stamps_.resize(rank + 1);
    auto& stamps = stamps_[rank];
    stamps.push_back({(stamps.empty() ? 0 : stamps.back().end) + bytes, time_ms});
  }
}

std::optional<std::int64_t> ArrivalTimes::at(std::uint32_t rank, std::uint64_t offset,
                                             std::uint64_t size) const {
  if (rank >= stamps_.size() || stamps_[rank].empty()) return std::nullopt;
  const auto& stamps = stamps_[rank];
  const std::uint64_t came = stamps.back().end;
  // In a log with bytes removed in the middle, offsets of its end are counted from the end.
  if (beginning_ && offset >= *beginning_ && came > size) offset += came - size;
  const auto stamp = std::partition_point(stamps.begin(), stamps.end(),
                                          [offset](const Stamp& each) { return each.end <= offset; });
  return stamp == stamps.end() ? stamps.back().time_ms : stamp->time_ms;
}

}  // namespace adarun::launcher
