// SPDX-License-Identifier: Apache-2.0
// replay_seeds SUBJECT FILE...: passes each file to the fuzz target of SUBJECT, once: runs the seeds as an
// ordinary test where there is no libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/fuzz/fuzz_target.h"

namespace {

std::map<std::string, FuzzTarget*>& fuzz_targets() {
  static std::map<std::string, FuzzTarget*> all;
  return all;
}

}  // namespace

bool add_fuzz_target(const char* subject, FuzzTarget* target) {
  return fuzz_targets().emplace(subject, target).second;
}

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
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    target->second(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
