// SPDX-License-Identifier: Apache-2.0
// The frame of the targets. In preset fuzz: the libFuzzer program of the subject ADARUN_FUZZ. In the others:
// replay_seeds SUBJECT FILE... passes each file to the target of SUBJECT, once: runs the seeds as an ordinary
// test where there is no libFuzzer.
#include "tests/fuzz/fuzz.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

namespace {

std::map<std::string, FuzzTarget*>& fuzz_targets() {
  static std::map<std::string, FuzzTarget*> all;
  return all;
}

}  // namespace

FuzzTargets::FuzzTargets(std::initializer_list<std::pair<const char*, FuzzTarget*>> targets) {
  fuzz_targets().insert(targets.begin(), targets.end());
}

#ifdef ADARUN_FUZZ

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static FuzzTarget* const target = fuzz_targets().at(ADARUN_FUZZ);
  target({reinterpret_cast<const char*>(data), size});
  return 0;
}

#else

int main(int argc, char** argv) {
  const auto target = argc < 3 ? fuzz_targets().end() : fuzz_targets().find(argv[1]);
  if (target == fuzz_targets().end()) {
    std::fprintf(stderr, "usage: replay_seeds SUBJECT FILE...\n");
    return 2;
  }
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 3;
    }
    target->second(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  return 0;
}

#endif
