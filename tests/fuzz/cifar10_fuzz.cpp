// SPDX-License-Identifier: Apache-2.0
// Any bytes as CIFAR-10's test batch give pictures with labels below ten, or an Error that names file or
// folder. The first byte is how many times the others are repeated, and the second how many bytes are missing
// to whole records: few inputs would be whole records otherwise.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/scratch_folder.h"
#include "trainer/base/error.h"
#include "trainer/data/datasets/cifar10.h"

namespace trainer = adarun::trainer;

namespace {

std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  while (all.size() < size) all += text;
  all.resize(size);
  return all;
}

}  // namespace

FUZZ_TARGET(cifar10) {
  if (size < 3) return 0;
  static const adarun::test::ScratchFolder scratch;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t records = data[0] % 4;
  scratch.write("test_batch.bin",
                repeated(text, records * trainer::Cifar10::record_size + (data[1] == 0xFF)));
  try {
    const trainer::Cifar10 set(scratch.path(), trainer::DatasetPart::test);
    demand(set.size() == records && records > 0);
    for (std::size_t i = 0; i < set.size(); ++i) {
      demand(set.label(i) >= 0 && set.label(i) < set.classes());
      demand(set.picture(i).rows == trainer::Cifar10::side);
    }
  } catch (const trainer::Error& error) {
    demand(std::string_view(error.what()).starts_with(scratch.path().string()));
  }
  return 0;
}
