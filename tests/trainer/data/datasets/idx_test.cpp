// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/idx.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/scratch_folder.h"
#include "tests/trainer/data/datasets/idx_header.h"
#include "trainer/base/error.h"

namespace adarun::trainer {
namespace {

using testing_data::idx_header;

std::string gzip(const std::string& bytes, const test::ScratchFolder& folder) {
  const std::filesystem::path file = folder.path() / "scratch.gz";
  gzFile out = gzopen(file.c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
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
    try {
      read_idx(file);
      FAIL() << wrong.name << ": accepted";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(file.string() + ": "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(wrong.reason), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(read_idx(folder.path() / "absent"), Error);
}

}  // namespace
}  // namespace adarun::trainer
