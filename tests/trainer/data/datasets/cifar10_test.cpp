// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/cifar10.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data_tools/write.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;

TEST(Cifar10, ReadsWhatWasWritten) {
  const test::ScratchFolder folder;
  const ColourDigits drawn(DatasetPart::train, 1, 23, 32, false);
  data_tools::write(drawn, 23, "cifar10", folder.path(), DatasetPart::train);
  const Cifar10 read(folder.path(), DatasetPart::train);
  ASSERT_EQ(read.size(), 23U);
  for (std::size_t i = 0; i < 23; ++i) {
    EXPECT_EQ(read.label(i), drawn.label(i));
    EXPECT_EQ(read.picture(i), drawn.picture(i));
  }
}

TEST(Cifar10, ReadsNoFileWithoutEnd) {
  const test::ScratchFolder folder;
  folder.write("test_batch.bin", "");
  std::filesystem::resize_file(folder.path() / "test_batch.bin",
                               std::uintmax_t{400'000} * Cifar10::record_size);
  EXPECT_EQ(refusal([&] { Cifar10(folder.path(), DatasetPart::test); }),
            (folder.path() / "test_batch.bin").string() + ": 1229200000 bytes, at most 1 GiB are read");
}

TEST(Cifar10, NormalizesEachChannel) {
  const test::ScratchFolder folder;
  std::string record(Cifar10::record_size, '\0');
  record[0] = 7;
  std::fill_n(record.begin() + 1, 1024, '\xff');
  folder.write("cifar-10-batches-bin/test_batch.bin", record);
  const Cifar10 data(folder.path(), DatasetPart::test);
  EXPECT_EQ(data.label(0), 7);
  std::vector<float> values(3 * 16 * 16);
  data.sample(0, {16}, values);
  EXPECT_FLOAT_EQ(values[0], (1 - 0.4914F) / 0.2023F);
  EXPECT_FLOAT_EQ(values[256], -0.4822F / 0.1994F);
  EXPECT_FLOAT_EQ(values.back(), -0.4465F / 0.2010F);
}

TEST(Cifar10, MovesAndMirrorsToLearnFrom) {
  const test::ScratchFolder folder;
  std::string record(Cifar10::record_size, '\0');
  record[1 + 10 * 32 + 5] = '\xff';  // one red pixel
  folder.write("test_batch.bin", record);
  const Cifar10 data(folder.path(), DatasetPart::test);
  std::vector<float> values(std::size_t{3} * 32 * 32);
  std::set<std::pair<int, int>> seen;
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    data.sample(0, {32, &random}, values);
    const auto at = std::ranges::max_element(values) - values.begin();
    seen.emplace(at / 32, at % 32);
  }
  // Nine rows; nine columns, and their mirror images.
  EXPECT_EQ(seen.size(), 9U * 18U);
  EXPECT_EQ(seen.begin()->first, 6);
  EXPECT_EQ(seen.rbegin()->first, 14);
  EXPECT_TRUE(seen.contains({10, 5}));
  EXPECT_TRUE(seen.contains({10, 31 - 5}));
}

TEST(Cifar10, RefusesWrongFilesByName) {
  const test::ScratchFolder folder;
  const auto open = [&] { Cifar10(folder.path(), DatasetPart::test); };
  EXPECT_NE(refusal(open).find("has no test_batch.bin"), std::string::npos);
  folder.write("test_batch.bin", std::string(3072, '\0'));
  EXPECT_NE(refusal(open).find("test_batch.bin: 3072 bytes, wanted records of 3073"), std::string::npos);
  folder.write("test_batch.bin", std::string(3073, '\0') + std::string(3073, '\x0a'));
  EXPECT_NE(refusal(open).find("record 1: label 10, wanted 0 to 9"), std::string::npos);
}

}  // namespace
}  // namespace adarun::trainer
