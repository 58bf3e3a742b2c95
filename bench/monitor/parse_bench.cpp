// SPDX-License-Identifier: Apache-2.0
//
// bench-monitor FILE [REPEATS]: reads a log that is in the page cache, in blocks of the size that adarun
// uses, and prints the speed of the parser alone, and of the parser with the series that views are drawn
// from.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "monitor/base/error.h"
#include "monitor/files/file_tail.h"
#include "monitor/parse/log_reader.h"
#include "monitor/series/run.h"

namespace {

using namespace adarun::monitor;
using Block = std::function<void(std::string_view bytes)>;

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t read_all(const char* path, const Block& block) {
  FileTail tail(path);
  std::string bytes;
  std::uint64_t size = 0;
  while (tail.read(bytes) != FileTail::Change::none) {
    size += bytes.size();
    block(bytes);
  }
  return size;
}

std::uint64_t parse(const char* path, std::uint64_t& lines) {
  LogReader reader;
  const LogListener listener{[&](const LossLine&) { ++lines; }, [](const MetricLine&) {}};
  const std::uint64_t size = read_all(path, [&](std::string_view bytes) { reader.feed(bytes, listener); });
  reader.finish(listener);
  return size;
}

std::uint64_t follow(const char* path, std::uint64_t& lines) {
  Run run;
  const std::uint64_t size = read_all(path, [&](std::string_view bytes) { run.feed(0, bytes); });
  run.finish(0);
  lines = run.ranks().at(0).loss_lines;
  return size;
}

void measure(const char* name, const char* path, int repeats,
             std::uint64_t (*work)(const char* path, std::uint64_t& lines)) {
  std::vector<double> rates;
  std::uint64_t lines = 0;
  for (int i = 0; i < repeats; ++i) {
    lines = 0;
    const double begin = processor_s();
    const std::uint64_t size = work(path, lines);
    rates.push_back(static_cast<double>(size) / (processor_s() - begin) / 1e9);
  }
  std::sort(rates.begin(), rates.end());
  std::printf("%s %.3f %llu\n", name, rates[rates.size() / 2], static_cast<unsigned long long>(lines));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  if (argc < 2 || repeats < 1) {
    std::fprintf(stderr, "usage: bench-monitor FILE [REPEATS]\n");
    return 2;
  }
  try {
    measure("reading", argv[1], repeats, [](const char* path, std::uint64_t& lines) {
      lines = 0;
      return read_all(path, [](std::string_view) {});
    });
    measure("parsing", argv[1], repeats, parse);
    measure("series", argv[1], repeats, follow);
  } catch (const Error& error) {
    std::fprintf(stderr, "bench-monitor: %s\n", error.what());
    return 3;
  }
  return 0;
}
