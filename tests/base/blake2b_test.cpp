// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/blake2b.h"

namespace adarun::base {
namespace {

// Bytes 0, 1, ..., 250, 0, ...
std::string bytes(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += static_cast<char>(i % 251);
  return text;
}

std::string hash(std::string_view text) {
  Blake2b hash;
  hash.update(text);
  return hash.hex();
}

TEST(Blake2b, GivesWhatB2sumPrints) {
  const std::vector<std::pair<std::size_t, std::string>> cases{
      {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
      {1, "03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314"},
      {127, "f2fe67ff342e21b8f45e8f2e0bcd1d9243245d50ee6c78042e9c491388791c72"},
      {128, "c3582f71ebb2be66fa5dd750f80baae97554f3b015663c8be377cfcb2488c1d1"},
      {129, "f7f3c46ba2564ff4c4c162da1f5b605f9f1c4aa6a20652a9f9a337c1a2f5b9c9"},
      {256, "582f782226018ec33076bd8d1c42413530ac7e1126260ffc0f306ba3befc3f24"},
      {257, "227e15ed64ee8e93eb7bc53828f76eed974f2c4ab1408c3d08f212b7f8d69904"},
      {1000, "b372d0608f720c8c3dd41e9c8eecb10143b41abe520b616607e754bf79c08331"},
      {100000, "916cfaa800ee55811e82095babeb88ea29c9ef8a36e8d7e20c7b772c344c9e1c"},
  };
  for (const auto& [count, wanted] : cases) EXPECT_EQ(hash(bytes(count)), wanted) << count;
}

TEST(Blake2b, DoesNotDependOnHowBytesCome) {
  const std::string text = bytes(1000);
  for (const std::size_t piece : {1U, 127U, 128U, 129U, 300U}) {
    Blake2b hash_in_pieces;
    for (std::size_t at = 0; at < text.size(); at += piece)
      hash_in_pieces.update(std::string_view(text).substr(at, piece));
    EXPECT_EQ(hash_in_pieces.hex(), hash(text)) << piece;
  }
}

TEST(FileHash, ReadsAFileOfManySlices) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "content_test";
  const std::string text = bytes(9'000'001);
  std::ofstream(file, std::ios::binary) << text;
  FileHash slices(file);
  int count = 1;
  while (!slices.advance()) ++count;
  EXPECT_GT(count, 1);
  EXPECT_EQ(slices.hex(), hash(text));
  EXPECT_EQ(slices.size_bytes(), text.size());
  std::filesystem::remove(file);
}

TEST(FileHash, NamesAFileThatItCannotRead) {
  try {
    hash_of("/none/file");
    FAIL();
  } catch (const std::system_error& error) {
    EXPECT_STREQ(error.what(), "/none/file: No such file or directory");
  }
}

}  // namespace
}  // namespace adarun::base
