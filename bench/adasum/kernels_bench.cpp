// SPDX-License-Identifier: Apache-2.0
// Measures the inner loops of AdaSum on one core, next to a plain copy: see bench/README.md.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "adasum/kernels/rows.h"
#include "bench/adasum/turns.h"

namespace adarun::bench {
namespace {

/// A loop, and the number of bytes that it must read and write.
struct Loop {
  std::string name;
  double bytes;
  std::function<void()> run;
  std::vector<double> gigabytes_per_s = {};
};

struct Data {
  explicit Data(std::size_t size) : rows(adasum::kernels::max_rows, std::vector<float>(size)), out(size) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < size; ++i)
        rows[r][i] = static_cast<float>((i * 37 + r * 101) % 1000) / 1000 - 0.5F;
    }
  }

  std::vector<const float*> first(std::size_t count) const {
    std::vector<const float*> pointers;
    for (std::size_t r = 0; r < count; ++r) pointers.push_back(rows[r].data());
    return pointers;
  }

  std::vector<std::vector<float>> rows;
  std::vector<float> out;
};

std::vector<Loop> loops_of(Data& data) {
  const std::size_t size = data.out.size();
  const double vector_bytes = static_cast<double>(size * sizeof(float));
  std::vector<Loop> loops = {
      {"copy", 2 * vector_bytes,
       [&data] { std::memcpy(data.out.data(), data.rows[0].data(), data.out.size() * sizeof(float)); }}};
  for (const std::size_t count : {2, 4, 16}) {
    const auto rows = data.first(count);
    const double read = static_cast<double>(count) * vector_bytes;
    loops.push_back({"dots of " + std::to_string(count), read, [rows, size] {
                       std::vector<double> gram(adasum::kernels::pairs_of(rows.size()));
                       adasum::kernels::gram<float>(rows, size, gram);
                     }});
    loops.push_back({"combination of " + std::to_string(count), read + vector_bytes, [rows, size, &data] {
                       const std::vector<double> coefficients(rows.size(),
                                                              1.0 / static_cast<double>(rows.size()));
                       float* out = data.rows[0].data();  // in place, as for tensors in shared memory
                       adasum::kernels::mix<float>(rows, coefficients, size, std::span(&out, 1));
                     }});
  }
  return loops;
}

// CPU time of this process: other processes on the machine do not count.
double processor_s() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void measure(std::size_t size, int repeats) {
  Data data(size);
  auto loops = loops_of(data);
  const int calls = static_cast<int>(std::max<std::size_t>(1, 4'000'000 / size));
  for (int turn = -1; turn < repeats; ++turn) {
    for (Loop& loop : loops) {
      const double start = processor_s();
      for (int call = 0; call < calls; ++call) loop.run();
      const double seconds = processor_s() - start;
      if (turn >= 0) loop.gigabytes_per_s.push_back(loop.bytes * calls / seconds / 1e9);
    }
  }
  const double copy = median(loops.front().gigabytes_per_s);
  std::printf("\nvectors of %zu elements (%zu KB)\n\n| %-18s | GB/s | / copy |\n| --- | --- | --- |\n", size,
              size / 250, "");
  for (const Loop& loop : loops) {
    const double speed = median(loop.gigabytes_per_s);
    std::printf("| %-18s | %4.1f | %6.2f |\n", loop.name.c_str(), speed, speed / copy);
  }
}

}  // namespace
}  // namespace adarun::bench

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 9;
  if (argc > 2 || repeats < 1) {
    std::fprintf(stderr, "usage: bench-adasum-kernels [REPEATS]\n");
    return 2;
  }
  for (const std::size_t size : {4'000, 100'000, 8'000'000}) adarun::bench::measure(size, repeats);
}
