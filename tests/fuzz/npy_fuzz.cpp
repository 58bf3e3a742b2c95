// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of NumPy give as many values as its header says, all finite, or an Error that names the
// file.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/boost/npy.h"

namespace trainer = adarun::trainer;

FUZZ_TARGET(npy) {
  static const adarun::test::ScratchFolder scratch;
  const std::string path = scratch.write("p.npy", {reinterpret_cast<const char*>(data), size});
  try {
    trainer::NpyFile file{path};
    demand(file.rows() > 0 && file.columns() > 0 && file.rows() <= size / file.columns());
    std::vector<float> row(file.columns());
    for (std::size_t i = 0; i < file.rows(); ++i) {
      file.read_row(i, row);
      demand(std::all_of(row.begin(), row.end(), [](float value) { return std::isfinite(value); }));
    }
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(path));
  }
  return 0;
}
