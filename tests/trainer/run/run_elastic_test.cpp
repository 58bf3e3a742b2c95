// SPDX-License-Identifier: Apache-2.0
// Whole trainings, of which a rank ends at a line that it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "adasum/communicators/thread_communicator.h"
#include "adasum/types/error.h"
#include "tests/scratch_folder.h"
#include "tests/trainer/observed_communicator.h"
#include "tests/trainer/refusal.h"
#include "trainer/options/rules.h"
#include "trainer/run/run_elastic.h"

namespace adarun::trainer {
namespace {

using testing_data::Death;

/// The ranks of a training, from one set of members to the next.
class Members {
 public:
  explicit Members(int count) : held_(static_cast<std::size_t>(count)) {}

  /// They train until they are done.
  void train(const TrainerOptions& options) { run(options, -1, ""); }

  /// Rank `dying` ends when it prints a line that begins like this. The others are those of the next call.
  void train_until(int dying, const std::string& line, const TrainerOptions& options) {
    EXPECT_THROW(run(options, dying, line), Death);
    held_.erase(held_.begin() + dying);
  }

  /// A rank that is started again comes back in this place.
  void come_back(int rank) { held_.insert(held_.begin() + rank, Continuation()); }

  /// The steps that they have done: those of the one that is furthest, from which the others continue too.
  std::int64_t steps() const { return std::ranges::max(held_, {}, &Continuation::steps).steps(); }

  /// When the last checkpoint was written, by what rank 0 holds.
  Snapshot::Clock::time_point saved_at() const { return held_.front().begins_from().value().saved_at; }

  /// The last checksum of the weights, which all of them have.
  std::string checksum() const {
    std::set<std::string> found;
    for (const auto& lines : lines_) {
      const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) {
        return line.starts_with("weights: checksum");
      });
      found.insert(last == lines.rend() ? "none" : *last);
    }
    EXPECT_EQ(found.size(), 1U);
    return *found.begin();
  }

 private:
  void run(const TrainerOptions& options, int dying, const std::string& line) {
    const auto size = static_cast<int>(held_.size());
    const Reduction reduction =
        reduction_of_fewer(options, {options.reduce.value_or(Reduce::adasum), 1}, size);
    lines_.assign(held_.size(), {});
    adasum::run_ranks(size, [&](adasum::Communicator& communicator) {
      const auto rank = static_cast<std::size_t>(communicator.rank());
      const Print print = [&, rank](const std::string& text) {
        lines_[rank].push_back(text);
        if (static_cast<int>(rank) == dying && text.starts_with(line)) throw Death();
      };
      try {
        run_members(options, reduction, communicator, print, std::nullopt, held_[rank]);
      } catch (const adasum::Error&) {
        if (dying < 0) throw;
      }
    });
  }

  std::vector<Continuation> held_;
  std::vector<std::vector<std::string>> lines_;
};

TrainerOptions options_to(int steps) {
  TrainerOptions options;
  options.model = "mlp";
  options.adasum_world = AdasumWorld::any;
  options.batch_size = 10;
  options.log_every = 1;
  options.max_steps = steps;
  return options;
}

TrainerOptions options_to(int steps, const test::ScratchFolder& folder) {
  TrainerOptions options = options_to(steps);
  options.checkpoint_dir = folder.path();
  options.checkpoint_steps = steps;
  options.resume = true;
  return options;
}

std::string loss_line_of(int step) {
  return "epoch: 1 step: " + std::to_string(step) + ", ";
}

TEST(RunMembers, WriteCheckpointsAfterAChangeThatResumeToTheBit) {
  const test::ScratchFolder folder;
  Members some(4);
  some.train_until(3, loss_line_of(2), options_to(4, folder));
  EXPECT_EQ(some.steps(), 2);
  Members straight = some;
  straight.train(options_to(8));
  some.train(options_to(4, folder));
  Members resumed(3);
  resumed.train(options_to(8, folder));
  EXPECT_EQ(resumed.checksum(), straight.checksum());
}

TEST(RunMembers, RefuseAnotherDataSetThanThatOfTheStepsThatWereTaken) {
  Members some(3);
  some.train_until(2, loss_line_of(2), options_to(8));
  TrainerOptions other = options_to(8);
  other.hold_out = 100;
  EXPECT_THAT(testing_data::refusal([&] { some.train(other); }),
              testing::StartsWith("cannot continue with the steps of the others: this rank has "));
}

TEST(RunMembers, GoOnWithARankThatComesBackAsARunThatWasResumedTwice) {
  for (const int rank : {0, 2}) {
    const test::ScratchFolder folder;
    Members some(4);
    some.train_until(rank, loss_line_of(2), options_to(8));
    some.come_back(rank);
    some.train_until(3, loss_line_of(4), options_to(8));
    EXPECT_EQ(some.steps(), 4);
    some.come_back(3);
    some.train(options_to(8));

    Members(4).train(options_to(4, folder));
    Members resumed(4);
    resumed.train(options_to(8, folder));
    EXPECT_EQ(some.checksum(), resumed.checksum());
  }
}

TEST(RunMembers, GoOnAfterAResumeByOthersAsARunThatWasResumedTwice) {
  const test::ScratchFolder folder;
  Members(4).train(options_to(2, folder));
  const test::ScratchFolder other;
  std::filesystem::copy(folder.path(), other.path());

  Members some(3);
  some.train_until(0, loss_line_of(4), options_to(8, folder));
  EXPECT_EQ(some.steps(), 4);
  some.train(options_to(8, folder));

  Members(3).train(options_to(4, other));
  Members resumed(2);
  resumed.train(options_to(8, other));
  EXPECT_EQ(some.checksum(), resumed.checksum());
}

// The last one, too, after which no step follows.
TEST(RunMembers, WriteTheCheckpointDuringWhichARankEnded) {
  for (const int last : {4, 6}) {
    const test::ScratchFolder folder;
    TrainerOptions options = options_to(last, folder);
    options.checkpoint_steps = 4;
    Members some(3);
    some.train_until(1, loss_line_of(4), options);  // printed before the checkpoint is written
    EXPECT_EQ(some.steps(), 4);
    some.train(options);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "step_000000000004.rank_0")) << last;
    Members resumed(2);
    resumed.train(options_to(8, folder));
    some.train(options_to(8));
    EXPECT_EQ(resumed.checksum(), some.checksum()) << last;
  }
}

TEST(RunMembers, WriteTheLastStateIfARankEndedBefore) {
  const test::ScratchFolder folder;
  TrainerOptions options = options_to(4, folder);
  options.checkpoint_steps = 0;
  Members some(3);
  some.train_until(1, loss_line_of(4), options);
  EXPECT_EQ(some.steps(), 4);
  some.train(options);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "step_000000000004.rank_0"));
}

// Rank 0 is always the one that is furthest: it keeps what it holds.
TEST(RunMembers, CountTheMinutesToTheNextCheckpointOnAfterAChange) {
  const test::ScratchFolder folder;
  TrainerOptions options = options_to(8, folder);
  options.checkpoint_steps = 0;
  options.checkpoint_minutes = 60;
  const auto before = Snapshot::Clock::now();
  Members some(2);
  some.train_until(1, loss_line_of(2), options);
  const auto since = some.saved_at();
  EXPECT_GE(since, before);
  some.come_back(1);
  some.train_until(1, loss_line_of(4), options);
  EXPECT_EQ(some.saved_at(), since);
  some.train(options);  // It writes one at its end.
  EXPECT_GT(some.saved_at(), since);
}

TEST(RunMembers, MayBeOneWhoseCheckpointMoreRanksResume) {
  TrainerOptions buckets;
  buckets.bucket_mb = 0.01;
  TrainerOptions diagnostics;
  diagnostics.adasum_diagnostics = 1;
  TrainerOptions rows;
  rows.adasum_per = AdasumPer::row;
  TrainerOptions mean;
  mean.reduce = Reduce::mean;
  for (const TrainerOptions& kind : {TrainerOptions{}, buckets, diagnostics, rows, mean}) {
    const test::ScratchFolder folder;
    const auto until = [&](int steps) {
      TrainerOptions options = options_to(steps, folder);
      options.bucket_mb = kind.bucket_mb;
      options.adasum_diagnostics = kind.adasum_diagnostics;
      options.adasum_per = kind.adasum_per;
      options.reduce = kind.reduce;
      return options;
    };
    Members some(2);
    some.train_until(0, loss_line_of(2), until(4));
    some.train(until(4));
    Members more(3);
    more.train(until(6));
    EXPECT_EQ(more.steps(), 6);
  }
}

/// Rank 0 is asked to stop; rank 1 ends when both have stopped, and rank 0 waits for it. Returns how rank 0
/// ended.
RunOutcome stop_and_end_one() {
  const test::ScratchFolder folder;
  const TrainerOptions options = options_to(1000, folder);
  RunOutcome ending = RunOutcome::done;
  try {
    adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
      const Print print = [&](const std::string& line) {
        if (communicator.rank() == 0 && line.starts_with(loss_line_of(2))) std::raise(SIGTERM);
        if (communicator.rank() == 1 && line.starts_with("stopped: ")) throw Death();
      };
      Continuation continuation;
      const RunOutcome of_rank =
          run_members(options, {Reduce::adasum, 1}, communicator, print, std::nullopt, continuation);
      if (communicator.rank() == 0) ending = of_rank;
    });
  } catch (const Death&) {
  }
  return ending;
}

TEST(RunMembers, HaveStoppedAlsoIfOneEndsWhileTheyDo) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";  // Threads of other tests are not in a fork.
  EXPECT_EXIT(std::_Exit(stop_and_end_one() == RunOutcome::stopped ? 0 : 1), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace adarun::trainer
