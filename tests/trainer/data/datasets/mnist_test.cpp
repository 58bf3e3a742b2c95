// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/mnist.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;

/// The header of an IDX file of unsigned bytes.
std::string idx_header(std::initializer_list<std::uint32_t> shape) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(shape.size());
  for (const std::uint32_t extent : shape) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(extent >> shift & 0xFFU);
  }
  return bytes;
}

std::string gzip(const std::string& bytes, const test::ScratchFolder& folder) {
  const std::filesystem::path file = folder.path() / "scratch.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  return test::content_of(file);
}

const std::string sample = idx_header({2, 1, 3}) + "abcdef";

TEST(Idx, ReadsPlainAndGzipFilesWhateverTheirName) {
  const test::ScratchFolder folder;
  const std::string packed = gzip(sample, folder);
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>{"plain", sample},
                                    {"plain.gz", sample},
                                    {"packed.gz", packed},
                                    {"packed", packed}}) {
    const Idx idx = read_idx(folder.write(name, bytes));
    EXPECT_EQ(idx.shape, (std::vector<std::uint32_t>{2, 1, 3})) << name;
    EXPECT_EQ(std::string(idx.values.begin(), idx.values.end()), "abcdef") << name;
  }
}

TEST(Idx, ReadsAFileWithNoValues) {
  const test::ScratchFolder folder;
  EXPECT_TRUE(read_idx(folder.write("none", idx_header({0}))).values.empty());
}

TEST(Idx, RefusesCorruptFilesByName) {
  const test::ScratchFolder folder;
  const std::string packed = gzip(sample, folder);
  std::string flipped = packed;
  flipped[flipped.size() - 6] ^= 0x55;  // in the checksum
  struct Case {
    std::string name;
    std::string bytes;
    std::string reason;
  };
  const Case cases[] = {
      {"empty", "", "too short"},
      {"short", std::string("\0\0\x08", 3), "too short"},
      {"text", "<html>not here</html>", "two zero bytes"},
      {"floats", std::string("\0\0\x0D\x01\0\0\0\1abcd", 12), "type 13"},
      {"flat", std::string("\0\0\x08\x00", 4), "0 dimensions"},
      {"deep", std::string("\0\0\x08\x04", 4), "4 dimensions"},
      {"header", sample.substr(0, 10), "ends in its IDX header"},
      {"values", sample.substr(0, sample.size() - 1), "has 5 values, its header says 6"},
      {"more", sample + "g", "continues after the 6 values"},
      {"huge", idx_header({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}), "more than 1 GiB"},
      {"cut.gz", packed.substr(0, packed.size() - 12), "gzip"},
      {"checksum.gz", flipped, "cannot be read"},
  };
  for (const Case& wrong : cases) {
    const std::filesystem::path file = folder.write(wrong.name, wrong.bytes);
    const std::string message = refusal([&] { read_idx(file); });
    EXPECT_NE(message.find(file.string() + ": "), std::string::npos) << message;
    EXPECT_NE(message.find(wrong.reason), std::string::npos) << message;
  }
  EXPECT_THROW(read_idx(folder.path() / "absent"), Error);
}

std::string images(std::uint32_t count) {
  std::string bytes = idx_header({count, 28, 28});
  for (std::uint32_t i = 0; i < count; ++i) bytes += std::string(image_pixels, static_cast<char>('a' + i));
  return bytes;
}

std::string labels(const std::string& values) {
  return idx_header({static_cast<std::uint32_t>(values.size())}) + values;
}

TEST(Mnist, ReadsAFlatFolder) {
  const test::ScratchFolder folder;
  folder.write("train-images-idx3-ubyte", images(2));
  folder.write("train-labels-idx1-ubyte", labels("\7\3"));
  const Mnist data(folder.path(), DatasetPart::train);
  ASSERT_EQ(data.size(), 2U);
  EXPECT_EQ(data.label(0), 7);
  EXPECT_EQ(data.label(1), 3);
  std::array<std::uint8_t, image_pixels> pixels{};
  data.image(1, pixels);
  EXPECT_EQ(pixels.front(), 'b');
  EXPECT_EQ(pixels.back(), 'b');
}

TEST(Mnist, ReadsFoldersTrainAndTest) {
  const test::ScratchFolder folder;
  folder.write("train/train-images-idx3-ubyte.gz", images(2));
  folder.write("train/train-labels-idx1-ubyte.gz", labels("\1\2"));
  folder.write("test/t10k-images-idx3-ubyte.gz", images(1));
  folder.write("test/t10k-labels-idx1-ubyte.gz", labels("\5"));
  EXPECT_EQ(Mnist(folder.path(), DatasetPart::train).size(), 2U);
  EXPECT_EQ(Mnist(folder.path(), DatasetPart::test).label(0), 5);
}

TEST(Mnist, RefusesFilesThatAreMissingOrDoNotFit) {
  struct Case {
    std::string images, labels, reason;
  };
  const Case cases[] = {
      {"", labels("\1"), "has no train-images-idx3-ubyte"},
      {images(1), "", "has no train-labels-idx1-ubyte"},
      {images(2), labels("\1"), "wanted 2, one label for each image"},
      {images(1), labels("\x0A"), "label 10, wanted 0 to 9"},
      {images(0), labels(""), "holds no image"},
      {labels("\1"), labels("\1"), "shape 1, wanted Nx28x28"},
      {idx_header({1, 2, 2}) + "abcd", labels("\1"), "shape 1x2x2, wanted Nx28x28"},
  };
  for (const Case& wrong : cases) {
    const test::ScratchFolder folder;
    if (!wrong.images.empty()) folder.write("train-images-idx3-ubyte", wrong.images);
    if (!wrong.labels.empty()) folder.write("train-labels-idx1-ubyte", wrong.labels);
    const std::string message = refusal([&] { Mnist(folder.path(), DatasetPart::train); });
    EXPECT_NE(message.find(wrong.reason), std::string::npos) << message;
    EXPECT_NE(message.find(folder.path().string()), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace adarun::trainer
