// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/shared_basis.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/refusal.h"
#include "trainer/boost/npy.h"

namespace adarun::trainer {
namespace {

using testing_data::refusal;
using Values = std::vector<float>;

/// A model of three weights, and a file with a basis for it.
class SharedBasisTest : public testing::Test {
 protected:
  void write(const std::vector<Values>& rows) {
    NpyWriter writer(options.basis_file, rows.size(), rows.front().size());
    for (std::size_t row = 0; row < rows.size(); ++row) writer.write(row, 0, rows[row]);
    writer.finish();
    options.components = static_cast<int>(rows.size());
  }

  /// What the ranks hold, two on each node, one rank after the other. Sets `identity`.
  Values loaded(int ranks) {
    std::vector<SharedBasis> of_ranks(static_cast<std::size_t>(ranks));
    adasum::run_ranks(ranks,
                      [&](adasum::Communicator& communicator) {
                        of_ranks[static_cast<std::size_t>(communicator.rank())] =
                            load_basis(options, model, communicator);
                      },
                      {.ranks_per_node = 2});
    Values all;
    for (const SharedBasis& basis : of_ranks) {
      EXPECT_EQ(basis.identity, of_ranks.front().identity);
      all.insert(all.end(), basis.rows.begin(), basis.rows.end());
    }
    identity = of_ranks.front().identity;
    return all;
  }

  std::string identity;
  test::ScratchFolder folder;
  DimReduceOptions options{.basis_file = folder.path() / "p.npy"};
  Model model = make_model("three",
                           [](Layers& layers, const torch::Tensor& images, std::int64_t) {
                             return images.mean() * layers.parameter("w", {3}, constant(0));
                           },
                           {});
};

TEST_F(SharedBasisTest, IsDividedAmongTheRanksInOrder) {
  write({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}});
  Values wanted(15);
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<float>(i + 1);
  for (const int ranks : {1, 2, 4, 7}) EXPECT_EQ(loaded(ranks), wanted) << ranks;
}

TEST_F(SharedBasisTest, HasOneIdentityOnAnyNumberOfRanks) {
  write({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}});
  loaded(1);
  const std::string of_one_rank = identity;
  for (const int ranks : {2, 3, 4, 5, 7}) {
    loaded(ranks);
    EXPECT_EQ(identity, of_one_rank) << ranks;
  }
  write({{4, 5, 6}, {1, 2, 3}, {7, 8, 9}, {10, 11, 12}, {13, 14, 15}});
  loaded(2);
  EXPECT_NE(identity, of_one_rank) << "rows in another order";
}

TEST_F(SharedBasisTest, FailsOnAllRanksWhereARowOfOneIsBad) {
  write({{1, 2, 3}, {4, 5, 6}, {7, std::numeric_limits<float>::quiet_NaN(), 9}, {10, 11, 12}});
  for (const int ranks : {1, 4}) {
    adasum::run_ranks(ranks, [&](adasum::Communicator& communicator) {
      EXPECT_EQ(refusal(Exit::failed, [&] { load_basis(options, model, communicator); }),
                options.basis_file + ": row 2 holds NaN or infinity");
    });
  }
}

TEST_F(SharedBasisTest, RefusesAFileOfAnotherSizeWithStatus1) {
  write({{1, 2}});
  adasum::run_ranks(3, [&](adasum::Communicator& communicator) {
    EXPECT_NE(refusal(Exit::refused, [&] { load_basis(options, model, communicator); }), "accepted");
  });
}

TEST_F(SharedBasisTest, TakesNoFileThatCannotBeLookedAtForOneThatIsMissing) {
  options.basis_file = (folder.path() / std::string(300, 'x')).string();
  options.checkpoint_dir = folder.path().string();
  EXPECT_EQ(refusal([&] { loaded(2); }), options.basis_file + ": cannot be read: File name too long");
}

TEST(WaitsForBasis, LastAsLongAsRankZeroMayTakeToMakeIt) {
  using std::chrono::minutes;
  EXPECT_EQ(waits_for_basis({.timeout_s = 60}, minutes(30)), minutes(30));
  EXPECT_EQ(waits_for_basis({}, minutes(30)), minutes(31));
  EXPECT_EQ(waits_for_basis({.timeout_s = 7200}, minutes(30)), minutes(121));
}

}  // namespace
}  // namespace adarun::trainer
