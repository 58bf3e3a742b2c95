// SPDX-License-Identifier: Apache-2.0
#include "cli/pass_through.h"

#include <cstdio>

namespace adarun::cli {
namespace {

// A line that does not end is printed in pieces of this size.
constexpr std::size_t max_held_bytes = 64U << 10U;

// The job's last word names the failure; while ranks take their time to end, it is said beforehand as well.
constexpr std::chrono::milliseconds quick_end{1'000};

}  // namespace

void PassThrough::on_output(std::uint32_t rank, wire::Stream stream, std::string_view bytes) {
  const Key key{rank, stream};
  print(key, cut_.try_emplace(key, max_held_bytes).first->second.feed(bytes));
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
  for (auto& [key, lines] : cut_) print(key, lines.finish());
}

void PassThrough::say(const std::string& line) {
  std::fflush(output().out());
  std::fprintf(output().err(), "adarun: %s\n", line.c_str());
  std::fflush(output().err());
}

void PassThrough::flush(std::uint32_t rank) {
  for (const auto stream : {wire::Stream::out, wire::Stream::err}) {
    const auto found = cut_.find({rank, stream});
    if (found == cut_.end()) continue;
    print(found->first, found->second.finish());
    cut_.erase(found);
  }
}

void PassThrough::print(const Key& key, std::string_view lines) {
  std::FILE* out = key.second == wire::Stream::out ? output().out() : output().err();
  if (tagged_) {
    write_tagged(out, key.first, lines);
  } else {
    std::fwrite(lines.data(), 1, lines.size(), out);
  }
}

}  // namespace adarun::cli
