// SPDX-License-Identifier: Apache-2.0
#include "cli/pass_through.h"

#include <cstdio>

namespace adarun::cli {
namespace {

// A line that does not end is printed in pieces of this size.
constexpr std::size_t max_partial_bytes = 64U << 10U;

// The job's last word names the failure; while ranks take their time to end, it is said beforehand as well.
constexpr std::chrono::milliseconds quick_end{1'000};

}  // namespace

void PassThrough::on_output(std::uint32_t rank, wire::Stream stream, std::string_view bytes) {
  const Key key{rank, stream};
  std::string& partial = partial_[key];
  const std::size_t end = bytes.rfind('\n');
  if (end != std::string_view::npos) {
    partial += bytes.substr(0, end + 1);
    print(key, partial);
    partial.clear();
    bytes.remove_prefix(end + 1);
  }
  partial += bytes;
  if (partial.size() < max_partial_bytes) return;
  print(key, partial + "\n");
  partial.clear();
}

void PassThrough::on_exited(std::uint32_t rank, const launcher::RankRecord& /*record*/) {
  flush(rank);
}

void PassThrough::on_failure(const launcher::Failure& failure) {
  if (!failure_.empty()) return;
  failure_ = failure.message;
  say_stopping_ = Clock::now() + quick_end;
}

void PassThrough::on_tick() {
  std::fflush(output().out());
  if (!say_stopping_ || Clock::now() < *say_stopping_) return;
  say(failure_ + "; stopping the job");
  say_stopping_.reset();
}

void PassThrough::end() {
  while (!partial_.empty()) flush(partial_.begin()->first.first);
}

void PassThrough::say(const std::string& line) {
  std::fflush(output().out());
  std::fprintf(output().err(), "adarun: %s\n", line.c_str());
  std::fflush(output().err());
}

void PassThrough::flush(std::uint32_t rank) {
  for (const auto stream : {wire::Stream::out, wire::Stream::err}) {
    const auto found = partial_.find({rank, stream});
    if (found == partial_.end()) continue;
    if (!found->second.empty()) print(found->first, found->second + "\n");
    partial_.erase(found);
  }
}

void PassThrough::print(const Key& key, std::string_view lines) {
  std::FILE* out = key.second == wire::Stream::out ? output().out() : output().err();
  if (!tagged_) {
    std::fwrite(lines.data(), 1, lines.size(), out);
    return;
  }
  while (!lines.empty()) {
    const std::size_t size = std::min(lines.size(), lines.find('\n') + 1);
    std::fprintf(out, "[%u] ", key.first);
    std::fwrite(lines.data(), 1, size, out);
    lines.remove_prefix(size);
  }
}

}  // namespace adarun::cli
