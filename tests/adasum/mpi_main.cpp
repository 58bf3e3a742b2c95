// SPDX-License-Identifier: Apache-2.0
#include "tests/adasum/mpi_main.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "adasum/communicators/mpi_session.h"

namespace adasum {

Communicator* world = nullptr;

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d: %s:%d: %s\n", world->rank(), result.file_name(), result.line_number(),
                 result.message());
  }
};

}  // namespace

int run_mpi_tests(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const MpiSession session;
  const std::unique_ptr<Communicator> communicator = session.world();
  world = communicator.get();
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (world->rank() != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter);  // listeners takes ownership
  }
  return RUN_ALL_TESTS();
}

}  // namespace adasum
