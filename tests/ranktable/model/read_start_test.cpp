// SPDX-License-Identifier: Apache-2.0
#include "ranktable/model/read_start.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_descriptor.h"
#include "ranktable/model/error.h"
#include "tests/ranktable/tables.h"
#include "tests/scratch_folder.h"

namespace adarun::ranktable {
namespace {

class Pipe : public testing::Test {
 protected:
  Pipe() { EXPECT_EQ(::mkfifo(path().c_str(), S_IRUSR | S_IWUSR), 0); }
  std::filesystem::path path() const { return folder_.path() / "pipe"; }

 private:
  test::ScratchFolder folder_;
};

TEST_F(Pipe, IsGivenUpWhereNobodyWritesToIt) {
  EXPECT_EQ(error_of([this] { read_start(path(), 100, std::chrono::milliseconds(1)); }),
            path().string() + ": given up: nobody writes anything to it");
}

TEST_F(Pipe, IsGivenUpWhereAWriterHoldsItAndIsSilent) {
  const base::FileDescriptor writer(::open(path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::write(writer.get(), "half", 4), 4);
  EXPECT_EQ(read_start(path(), 4, std::chrono::milliseconds(1)), "half");
  EXPECT_THROW(read_start(path(), 4, std::chrono::milliseconds(1)), Error);
}

}  // namespace
}  // namespace adarun::ranktable
