// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "tests/trainer/refusal.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/run/same_on_all_ranks.h"

namespace adarun::trainer {
namespace {

/// What each of `ranks` ranks throws; "accepted" if it does not.
template <typename Check>
std::vector<std::string> refusals_of(std::size_t ranks, const Check& check) {
  std::vector<std::string> found(ranks);
  adasum::run_ranks(static_cast<int>(ranks), [&](adasum::Communicator& communicator) {
    const auto rank = static_cast<std::size_t>(communicator.rank());
    found[rank] = testing_data::refusal(Exit::refused, [&] { check(rank, communicator); });
  });
  return found;
}

std::vector<std::string> found_with(const std::vector<std::string>& options) {
  return refusals_of(options.size(), [&](std::size_t rank, adasum::Communicator& communicator) {
    check_same_options(options[rank], communicator);
  });
}

TEST(CheckSameOptions, AreRefusedByAllRanksWhereOneHasOthers) {
  const std::string first = "\"lr\": 0.1\n\"epochs\": 2\n";
  EXPECT_EQ(
      found_with({first, first, "\"lr\": 0.1\n\"epochs\": 3\n"}),
      std::vector<std::string>(3,
                               "options: rank 2 has \"epochs\": 3, rank 0 \"epochs\": 2: wanted the same on "
                               "every rank (--config reads a file on each node)"));
  EXPECT_EQ(found_with({first, "\"lr\": 0.1\n"})[0],
            "options: rank 1 has nothing more, rank 0 \"epochs\": 2: wanted the same on every rank (--config "
            "reads a file on each node)");
}

TEST(CheckSameSetup, IsRefusedWhereItIsNotThatOfTheSteps) {
  EXPECT_NO_THROW(check_same_setup("a\nb\n", "a\nb\n"));
  EXPECT_EQ(testing_data::refusal([] { check_same_setup("a\nb\n", "a\nc\n"); }),
            "cannot continue with the steps of the others: this rank has b, they c: wanted the options and "
            "data that the training began with");
}

TEST(CheckSameOptions, AcceptsEqualOnes) {
  EXPECT_EQ(found_with({"\"lr\": 0.1\n", "\"lr\": 0.1\n"}), std::vector<std::string>(2, "accepted"));
}

/// The first digits, said to be of so many classes, and to lie in files with names that begin so.
class SomeDigits : public Digits {
 public:
  SomeDigits(std::size_t samples, int classes, std::string names = "", std::uint64_t seed = 1)
      : Digits(DatasetPart::train, seed), samples_(samples), classes_(classes), names_(std::move(names)) {}
  std::size_t size() const override { return samples_; }
  int classes() const override { return classes_; }
  std::string file_name(std::size_t index) const override { return names_ + std::to_string(index); }

 private:
  std::size_t samples_;
  int classes_;
  std::string names_;
};

/// One data set for each rank.
std::vector<std::string> found_by_ranks(const std::vector<SomeDigits>& datasets, DatasetPart part) {
  return refusals_of(datasets.size(), [&](std::size_t rank, adasum::Communicator& communicator) {
    check_same_data(found_in(datasets[rank]), part, communicator);
  });
}

TEST(CheckSameData, IsRefusedByAllRanksWhereOneFindsOther) {
  EXPECT_EQ(found_by_ranks({{1000, 10}, {999, 10}}, DatasetPart::train),
            std::vector<std::string>(
                2,
                "rank 1 finds 999 training samples of 10 classes in 1 channel, rank 0 1000 training samples "
                "of 10 classes in 1 channel: wanted the same files on every node"));
  EXPECT_EQ(found_by_ranks({{20, 10}, {20, 10}, {20, 9}}, DatasetPart::test),
            std::vector<std::string>(
                3,
                "rank 2 finds 20 test samples of 9 classes in 1 channel, rank 0 20 test samples of 10 "
                "classes in 1 channel: wanted the same files on every node"));
}

TEST(CheckSameData, IsRefusedWhereNamesOrLabelsDiffer) {
  const std::string wanted =
      "rank 1 finds 20 training samples of 10 classes in 1 channel, as rank 0, but of other names or labels: "
      "wanted the same files on every node";
  EXPECT_EQ(found_by_ranks({{20, 10, "cat/a"}, {20, 10, "cat/b"}}, DatasetPart::train),
            std::vector<std::string>(2, wanted));
  EXPECT_EQ(found_by_ranks({{20, 10, "", 1}, {20, 10, "", 2}}, DatasetPart::train),
            std::vector<std::string>(2, wanted));
}

TEST(CheckSameData, IsAcceptedWhereAllFindTheSame) {
  EXPECT_EQ(found_by_ranks({{1000, 10}, {1000, 10}}, DatasetPart::train),
            std::vector<std::string>(2, "accepted"));
}

}  // namespace

}  // namespace adarun::trainer
