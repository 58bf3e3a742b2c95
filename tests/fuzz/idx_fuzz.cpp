// SPDX-License-Identifier: Apache-2.0
// Any bytes as an IDX file, packed or not, give as many values as its shape says, or an Error that names the
// file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/data/datasets/mnist.h"

namespace trainer = adarun::trainer;

FUZZ_TARGET(idx) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("idx", {reinterpret_cast<const char*>(data), size});
  try {
    const trainer::Idx idx = trainer::read_idx(path, trainer::Sharing());
    std::uint64_t wanted = 1;
    for (const std::uint32_t extent : idx.shape) wanted *= extent;
    demand(!idx.shape.empty() && idx.values.size() == wanted);
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
