// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dataset.h"

#include "trainer/data/digits.h"
#include "trainer/data/mnist.h"
#include "trainer/error.h"

namespace adarun::trainer {

std::unique_ptr<Dataset> open_dataset(const std::string& name, const std::string& path, Part part,
                                      std::uint64_t seed) {
  if (name == "digits") return std::make_unique<Digits>(part, seed);
  if (name != "mnist") throw Error("dataset \"" + name + "\": not one of digits, mnist", Exit::usage);
  if (path.empty()) {
    throw Error("dataset mnist: no folder: give --data-path DIR or set DATA_PATH", Exit::usage);
  }
  return std::make_unique<Mnist>(path, part);
}

}  // namespace adarun::trainer
