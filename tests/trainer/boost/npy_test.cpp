// SPDX-License-Identifier: Apache-2.0
#include "trainer/boost/npy.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;
using Row = std::vector<float>;

class Npy : public testing::Test {
 protected:
  /// A file of format `major` with this header and these bytes behind it.
  std::string file(const std::string& header, const std::string& values, char major = 1) {
    std::string bytes = "\x93NUMPY";
    bytes += {major, '\0'};
    bytes += {static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
    if (major > 1) bytes += {'\0', '\0'};
    return folder.write("p.npy", bytes + header + values);
  }

  template <typename Value>
  static std::string bytes(std::vector<Value> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
  }

  static Row row(NpyFile& of, std::size_t number) {
    Row values(of.columns());
    of.read_row(number, values);
    return values;
  }

  test::ScratchFolder folder;
};

TEST_F(Npy, IsReadAsItWasWritten) {
  const std::string path = folder.path() / "p.npy";
  NpyWriter writer(path, 2, 3);
  writer.write(1, 1, Row{5, 6});
  writer.write(0, 0, Row{1, 2, 3});
  EXPECT_FALSE(std::filesystem::exists(path)) << "before it is complete";
  writer.finish();
  NpyFile file{path};
  EXPECT_EQ(file.rows(), 2U);
  EXPECT_EQ(file.columns(), 3U);
  EXPECT_EQ(row(file, 1), (Row{0, 5, 6}));
  EXPECT_EQ(row(file, 0), (Row{1, 2, 3}));
  EXPECT_EQ(test::content_of(path).find('\n') + 1, 128U) << "the values are aligned";
}

TEST_F(Npy, IsWrittenOverWhatAKilledProcessHasLeft) {
  folder.write("p.npy.unfinished", std::string(1000, 'x'));
  NpyWriter writer(folder.path() / "p.npy", 1, 2);
  writer.write(0, 0, Row{1});
  writer.finish();
  NpyFile file{folder.path() / "p.npy"};
  EXPECT_EQ(row(file, 0), (Row{1, 0}));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "p.npy.unfinished"));
}

TEST_F(Npy, IsWrittenIntoNoFileThatHasAnotherName) {
  const std::string path = folder.path() / "p.npy";
  folder.write("private", "mine");
  std::filesystem::create_symlink("private", path + ".unfinished");
  EXPECT_NE(refusal([&] { const NpyWriter writer(path, 1, 1); }), "");
  std::filesystem::remove(path + ".unfinished");
  std::filesystem::create_hard_link(folder.path() / "private", path + ".unfinished");
  EXPECT_EQ(refusal([&] { const NpyWriter writer(path, 1, 1); }),
            path + ": cannot be written: Permission denied");
  EXPECT_EQ(test::content_of(folder.path() / "private"), "mine");
}

TEST_F(Npy, IsWrittenByOneProcessAtATime) {
  const std::string path = folder.path() / "p.npy";
  NpyWriter writer(path, 1, 1);
  EXPECT_EQ(refusal([&] { const NpyWriter other(path, 1, 1); }), path + ": another process is writing it");
  writer.write(0, 0, Row{7});
  writer.finish();
  NpyFile file{path};
  EXPECT_EQ(row(file, 0), Row{7});
}

TEST_F(Npy, LeavesNothingWhereItIsNotFinished) {
  { const NpyWriter writer(folder.path() / "p.npy", 2, 3); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Npy, IsReadInDoubleAndInLaterFormats) {
  const std::string shape = "'fortran_order': False, 'shape': (1, 2), }";
  NpyFile wide{file("{'descr': '<f8', " + shape + "   \n", bytes<double>({0.5, -3}))};
  EXPECT_EQ(row(wide, 0), (Row{0.5, -3}));
  NpyFile later{file("{'descr': '<f4', " + shape + "\n", bytes<float>({7, 8}), 2)};
  EXPECT_EQ(row(later, 0), (Row{7, 8}));
}

TEST_F(Npy, IsRefusedInOneLineWhereItIsSomethingElse) {
  const std::string path = folder.path() / "p.npy";
  const std::string wanted =
      path + ": wanted a matrix (two dimensions) of float32 or float64, rows one after the other";
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n";
  const std::string two = bytes<float>({1, 2});
  const auto refused = [&](const std::string& of) { return refusal([&] { NpyFile opened{of}; }); };
  EXPECT_EQ(refused(file("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2), }\n", two)), wanted);
  EXPECT_EQ(refused(file("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }\n", two)), wanted);
  EXPECT_EQ(refused(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }\n", two)), wanted);
  EXPECT_EQ(refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", two)), wanted);
  EXPECT_EQ(refused(file("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 999999999999), }\n", "")),
            path + ": has no values");
  const std::string length = path + ": is not as long as its header says";
  EXPECT_EQ(refused(file(good, bytes<float>({1}))), length);
  EXPECT_EQ(refused(file(good, bytes<float>({1, 2, 3}))), length);
  EXPECT_EQ(refused(file(
                "{'descr': '<f4', 'fortran_order': False, 'shape': (999999999999, 999999999999), }\n", two)),
            length);
  EXPECT_EQ(refused(folder.write("p.npy", "\x93NUM")), path + ": not a file of NumPy");
  EXPECT_EQ(refused(folder.write("p.npy", "adarun checkpoint 2\n")), path + ": not a file of NumPy");
  EXPECT_EQ(refused(folder.path()), folder.path().string() + ": not a regular file");
  EXPECT_EQ(refused(folder.path() / "none"),
            (folder.path() / "none").string() + ": cannot be opened: No such file or directory");
}

TEST_F(Npy, IsRefusedWithValuesThatAreNotFinite) {
  NpyFile of{file("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }\n",
                  bytes<float>({1, std::numeric_limits<float>::quiet_NaN()}))};
  EXPECT_EQ(row(of, 0), (Row{1}));
  EXPECT_EQ(refusal([&] { row(of, 1); }),
            (folder.path() / "p.npy").string() + ": row 1 holds NaN or infinity");
}

}  // namespace
}  // namespace adarun::trainer
