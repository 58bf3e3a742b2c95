// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of line times: each byte of a log has one of its times or none.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "launcher/record/line_times.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"

FUZZ_TARGET(line_times) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* title : {"", "adarun line times 1 -\n", "adarun line times 1 100\n"}) {
    std::istringstream file(title + text);
    const auto times = adarun::launcher::ArrivalTimes::read(file);
    demand(times || *title == '\0');
    if (!times) continue;
    for (const std::uint32_t rank : {0U, 1U, 7U})
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{150}, ~std::uint64_t{0}}) {
        const auto time = times->at(rank, offset, 200);
        demand(!time || text.find(std::to_string(*time).substr(*time < 0 ? 1 : 0)) != std::string::npos);
      }
  }
  return 0;
}
