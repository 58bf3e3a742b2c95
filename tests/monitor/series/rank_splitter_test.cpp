// SPDX-License-Identifier: Apache-2.0
#include "monitor/series/rank_splitter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "monitor/series/facts.h"
#include "monitor/series/run.h"
#include "monitor/view/summary.h"

namespace adarun::monitor {
namespace {

std::string text(int number) {
  return std::to_string(number);
}

std::string tagged_lines(const std::string& tag, std::string lines) {
  for (std::size_t at = 0; (at = lines.find('\n', at)) != std::string::npos; at += tag.size())
    lines.insert(++at, tag);
  return tag + lines + "\n";
}

// Ranks 0 and 1 print 12 steps each; rank 1 begins later.
std::string drifting(const std::function<std::string(int rank)>& tag,
                     const std::function<std::string(int rank, int step)>& line) {
  std::string log;
  for (int time = 0; time < 16; ++time)
    for (int rank = 0; rank < 2; ++rank) {
      const int step = time - 4 * rank;
      if (step >= 0 && step < 12) log += tagged_lines(tag(rank), line(rank, step));
    }
  return log;
}

std::string iteration(int rank, int step) {
  return "iter " + text(step) + ": loss " + text(4 + rank) + "." + text(99 - step);
}

std::string without_place(int rank, int step) {
  return "loss=" + text(4 + rank) + "." + text(99 - step);
}

std::string keras(int rank, int step) {
  return (step % 4 == 0 ? "Epoch " + text(step / 4 + 1) + "/3\n" : "") + text(step % 4 + 1) +
         "/4 - 1s - loss: " + text(4 + rank);
}

monitor::Run run_of(const std::string& log, std::size_t piece = std::string::npos) {
  monitor::Run run;
  for (std::size_t at = 0; at < log.size(); at += piece) {
    run.feed(0, log.substr(at, piece));
    if (piece == std::string::npos) break;
  }
  run.finish_all();
  return run;
}

// "0: 12 steps to 0 11, 1: 12 steps to 0 11"
std::string ranks_of(const monitor::Run& run) {
  std::string ranks;
  for (const auto& [number, rank] : run.ranks())
    ranks += (ranks.empty() ? "" : ", ") + text(static_cast<int>(number)) + ": " +
             std::to_string(rank.series.points().size()) + " steps" +
             (rank.last
                  ? ", epoch " + std::to_string(rank.last->epoch) + " step " + std::to_string(rank.last->step)
                  : "");
  return ranks;
}

TEST(RankSplitter, TellsRanksApartByTheTagsOfLaunchers) {
  const std::pair<const char*, std::function<std::string(int)>> tags[] = {
      {"mpirun, horovodrun", [](int rank) { return "[1," + text(rank) + "]<stdout>:"; }},
      {"Open MPI 5", [](int rank) { return "[prterun-n-7@1," + text(rank) + "]<stdout>: "; }},
      {"srun -l", [](int rank) { return text(rank) + ": "; }},
      {"srun -l of 16 tasks", [](int rank) { return " " + text(rank) + ": "; }},
      {"adarun, MPICH", [](int rank) { return "[" + text(rank) + "] "; }},
      {"adarun with roles", [](int rank) { return "[" + text(rank) + " actor] "; }},
      {"torchrun --tee", [](int rank) { return "[default" + text(rank) + "]:"; }},
      {"a program", [](int rank) { return "[rank" + text(rank) + "]: "; }},
      {"another one", [](int rank) { return "Rank " + text(rank) + ": "; }},
      {"pdsh", [](int rank) { return "node" + text(rank) + ": "; }},
      {"DeepSpeed on addresses", [](int rank) { return "10.0.0." + text(rank) + ": "; }},
      {"kubectl logs --prefix", [](int rank) { return "[pod/train-worker-" + text(rank) + "/main] "; }},
      {"docker compose", [](int rank) { return "worker-" + text(rank) + "  | "; }},
      {"a program's own lines", [](int rank) { return "2026-11-21 10:00:00 [rank " + text(rank) + "] "; }},
      {"DeepSpeed's examples", [](int rank) { return "Epoch: 1, Rank: " + text(rank) + ", "; }},
      {"SageMaker", [](int rank) { return "[1,mpirank:" + text(rank) + ",algo-7]<stdout>:"; }},
      {"mpirun with times",
       [](int rank) { return "Thu Feb 20 10:00:00 2020[1," + text(rank) + "]<stdout>:"; }},
      {"srun -l of ranks that name themselves",
       [](int rank) { return "1: [RANK " + text(rank) + "] Epoch 1 | "; }},
      {"grep", [](int rank) { return "log_output/worker_" + text(rank) + ".log:"; }},
      {"compose of services", [](int rank) { return "worker" + text(rank) + "-1  | "; }},
      {"an indexed Job", [](int rank) { return "[pod/train-" + text(rank) + "-xd7k2/main] "; }},
      {"a program's R", [](int rank) { return "[R" + text(rank) + "] "; }},
      {"Python's logging", [](int rank) { return "INFO:rank_" + text(rank) + ":"; }},
      {"a field", [](int rank) { return "global_rank: " + text(rank) + " | "; }},
      {"a local rank", [](int rank) { return "local_rank=" + text(rank) + " "; }},
      {"Ray", [](int rank) { return "(Worker pid=" + text(4242 - rank) + ") "; }},
  };
  for (const auto& [launcher, tag] : tags)
    for (const std::size_t piece : {std::string::npos, std::size_t{7}, std::size_t{50}}) {
      const monitor::Run run = run_of(drifting(tag, iteration), piece);
      EXPECT_EQ(ranks_of(run), "0: 12 steps, epoch 1 step 11, 1: 12 steps, epoch 1 step 11")
          << launcher << piece;
      ASSERT_EQ(run.merged().size(), 12U) << launcher;
      EXPECT_EQ(run.ranks().at(1).first->loss, 5.99) << launcher;
    }
}

TEST(RankSplitter, TellsRanksApartByWhatTheirLinesSay) {
  const std::pair<const char*, std::function<std::string(int, int)>> lines[] = {
      {"JSON",
       [](int rank, int step) {
         return R"({"rank": )" + text(rank) + R"(, "step": )" + text(step) + R"(, "loss": 2.5})";
       }},
      {"JSON with the rank behind",
       [](int rank, int step) {
         return R"({"step": )" + text(step) + R"(, "loss": 2.5, "rank": )" + text(rank) + "}";
       }},
      {"a rank behind the loss",
       [](int rank, int step) { return iteration(rank, step) + " rank " + text(rank); }},
      {"torch_xla",
       [](int rank, int step) { return "[xla:" + text(rank) + "](" + text(step) + ") Loss=2.5 Rate=1.0"; }},
  };
  for (const auto& [what, line] : lines)
    EXPECT_EQ(ranks_of(run_of(drifting([](int) { return ""; }, line))),
              "0: 12 steps, epoch 1 step 11, 1: 12 steps, epoch 1 step 11")
        << what;
  const auto own_steps = [](int rank, int step) {
    return "rank " + text(rank) + " " + iteration(rank, 2 * step + rank);
  };
  EXPECT_EQ(run_of(drifting([](int) { return ""; }, own_steps)).ranks().size(), 2U);
}

// The losses of three ranks, one rank after the other; `begin` is before those of each.
std::string one_after_other(const std::function<std::string(int rank)>& begin,
                            const std::function<std::string(int rank, int step)>& line, int steps) {
  std::string log;
  for (int rank = 0; rank < 3; ++rank) {
    log += begin(rank);
    for (int step = 1; step <= steps; ++step) log += line(rank, step) + "\n";
  }
  return log;
}

TEST(RankSplitter, TellsRanksApartThatStandOneAfterTheOther) {
  const auto none = [](int) { return std::string(); };
  const auto heading = [](int rank) {
    return (rank > 0 ? "\n" : "") + std::string("==> log_output/worker_") + text(rank) + ".log <==\n";
  };
  const auto falling = [](int rank, int step) { return text(200 - step + rank); };
  const auto epoch = [&](int rank, int step) {
    return "epoch: 1 step: " + text(step) + ", loss is " + falling(rank, step);
  };
  const auto iter = [&](int rank, int step) {
    return "iter " + text(step) + ": loss " + falling(rank, step);
  };
  const std::pair<const char*, std::string> logs[] = {
      {"adarun logs, tail", one_after_other(heading, epoch, 90)},
      {"the same without steps", one_after_other(heading, without_place, 90)},
      {"behind other lines", "loading\nEpoch 1/3\n" + one_after_other(heading, epoch, 90)},
      {"adarun logs --tag-output",
       one_after_other(
           none, [&](int r, int s) { return "[" + text(r) + "] " + epoch(r, s); }, 90)},
      {"the same with roles",
       one_after_other(
           none, [&](int r, int s) { return "[" + text(r) + " actor] " + iter(r, s); }, 90)},
      {"the same in lines without an epoch",
       one_after_other(
           none, [&](int r, int s) { return "[" + text(r) + "] " + iter(r, s); }, 90)},
      {"srun's", one_after_other(
                     none, [&](int r, int s) { return text(r) + ": " + iter(r, s); }, 90)},
      {"a program's", one_after_other(
                          none, [&](int r, int s) { return iter(r, s) + " rank " + text(r); }, 90)},
  };
  for (const auto& [what, log] : logs)
    for (const std::size_t piece : {std::string::npos, std::size_t{13}, std::size_t{1000}})
      EXPECT_EQ(ranks_of(run_of(log, piece)).substr(0, 77),
                "0: 90 steps, epoch 1 step 90, 1: 90 steps, epoch 1 step 90, 2: 90 steps, epoc")
          << what << " " << piece;
  const std::string large = one_after_other(
      none, [&](int r, int s) { return "[" + text(r) + "] " + epoch(r, s); }, 40'000);
  EXPECT_EQ(run_of(large, 64U << 10U).ranks().size(), 3U) << "each has more than 1 MiB";
}

TEST(RankSplitter, TakesTheAttemptsOfARankForOne) {
  const auto heading = [](int attempt, int rank) {
    return "==> attempt " + text(attempt) + ": logs-" + text(attempt) + "/worker_" + text(rank) +
           ".log <==\n";
  };
  std::string headed;
  std::string tagged;
  for (const int attempt : {1, 2})
    for (const int rank : {0, 1}) {
      headed += heading(attempt, rank);
      for (int step = attempt * 10; step <= attempt * 20; ++step) {
        headed += iteration(rank, step) + "\n";
        tagged += "[attempt " + text(attempt) + ":" + text(rank) + "] " + iteration(rank, step) + "\n";
      }
    }
  for (const std::string& log : {headed, tagged})
    EXPECT_EQ(ranks_of(run_of(log)), "0: 31 steps, epoch 1 step 40, 1: 31 steps, epoch 1 step 40");
}

TEST(RankSplitter, TellsRanksApartWhereLinesTellNoStep) {
  for (const char* open : {"[", ""}) {
    const auto tag = [open](int rank) { return open + text(rank) + (*open == '[' ? "] " : ": "); };
    EXPECT_EQ(ranks_of(run_of(drifting(tag, without_place))),
              "0: 12 steps, epoch 1 step 12, 1: 12 steps, epoch 1 step 12");
    EXPECT_EQ(ranks_of(run_of(drifting(tag, keras))).substr(0, 32), "0: 12 steps, epoch 3 step 4, 1: ");
  }
}

TEST(RankSplitter, TakesTheNumbersThatTagsTell) {
  const auto from_three = [](int rank) { return "[rank" + text(rank + 3) + "]:"; };
  EXPECT_EQ(ranks_of(run_of(drifting(from_three, iteration))),
            "3: 12 steps, epoch 1 step 11, 4: 12 steps, epoch 1 step 11");
  const auto two_jobs = [](int rank) { return "[" + text(rank + 1) + ",0]<stdout>:"; };
  EXPECT_EQ(ranks_of(run_of(drifting(two_jobs, iteration))).substr(0, 2), "0:");
  EXPECT_EQ(run_of(drifting(two_jobs, iteration)).ranks().size(), 2U);
}

TEST(RankSplitter, TakesANumberThatIsNoRankForWhatItIs) {
  const std::pair<const char*, std::function<std::string(int)>> counted[] = {
      {"steps", [](int i) { return "[" + text(100 * i) + "] learning_rate=0.1, train_loss=2.5"; }},
      {"epochs", [](int i) { return text(i) + ": loss=2.5"; }},
      {"epochs of ten steps",
       [](int i) { return "[" + text(1 + i / 10) + "] step " + text(i % 10) + " loss: 2.5"; }},
      {"darknet",
       [](int i) { return text(i + 1) + ": 2.5, 2.6 avg loss, 0.001 rate, 1.0 seconds, 64 images"; }},
      {"a process id", [](int i) { return "[12345] epoch: 1 step: " + text(i) + ", loss is 2.5"; }},
      {"epochs from 0", [](int i) { return "[" + text(i / 10) + "] step " + text(i % 10) + " loss: 2.5"; }},
      {"epochs from 0 with the steps of the run",
       [](int i) { return "[" + text(i) + "] step " + text(100 * i) + " loss: 2.5"; }},
      {"epochs of a job that was started again",
       [](int i) { return "[" + text(1 + i % 50) + "] loss: 2.5"; }},
      {"a range of steps",
       [](int i) { return "[" + text(100 * i) + "-" + text(100 * i + 99) + "] loss: 2.5"; }},
      {"lines of a program", [](int i) { return "[train:" + text(i % 2) + "]: loss: 2.5"; }},
      {"others", [](int i) { return "[trainer:" + text(i % 2) + "] step " + text(i) + ", loss 2.5"; }},
      {"epochs from 0 whose losses fall",
       [](int i) { return "[" + text(i / 10) + "] step " + text(i % 10) + " loss: " + text(200 - i); }},
      {"updates", [](int i) { return "[Update " + text(i % 50) + "]: loss: 2.5"; }},
      {"updates without a space", [](int i) { return "[update" + text(i) + "]: loss: 2.5"; }},
      {"warnings of ranks",
       [](int i) {
         return (i % 40 == 0 ? "[rank" + text(2 + i / 40) +
                                   "]:[W1121 10:00:00 reducer.cpp:327] Warning: gradient strides\n"
                             : std::string()) +
                "iter " + text(i) + ": loss 2.5";
       }},
      {"no tag, then one",
       [](int i) { return (i < 3 ? "" : "[0] ") + std::string("iter ") + text(i) + ": loss 2.5"; }},
      {"a tag, then none",
       [](int i) { return (i < 3 ? "[0] " : "") + std::string("iter ") + text(i) + ": loss 2.5"; }},
  };
  for (const auto& [what, line] : counted) {
    std::string log;
    for (int i = 0; i < 100; ++i) log += line(i) + "\n";
    for (const std::size_t piece : {std::string::npos, std::size_t{40}}) {
      const monitor::Run run = run_of(log, piece);
      EXPECT_EQ(run.ranks().size(), 1U) << what;
      EXPECT_TRUE(run.ranks().contains(0)) << what;
      EXPECT_EQ(run.merged().size(), 100U) << what;
    }
  }
}

// A loss as it is printed: with noise of 5 %.
std::string noisy(double loss, std::minstd_rand& chance) {
  return std::to_string(loss * (1 + std::normal_distribution(0.0, 0.05)(chance)));
}

TEST(RankSplitter, TakesEpochsWhoseLossVariesForEpochs) {
  for (unsigned seed = 1; seed <= 50; ++seed)
    for (const int steps : {10, 40})
      for (const double rate : {0.0, 0.001, 0.01, 0.1}) {
        std::minstd_rand chance(seed);
        std::string log;
        for (int i = 0; i < 20 * steps; ++i)
          log += "[" + text(i / steps) + "] step " + text(i % steps) +
                 " loss: " + noisy(0.5 + std::exp(-rate * i), chance) + "\n";
        EXPECT_EQ(run_of(log).ranks().size(), 1U) << seed << " " << steps << " " << rate;
      }
  std::string folds;
  for (int i = 0; i < 50; ++i)
    folds += "[" + text(i / 10) + "] epoch " + text(1 + i % 10) + " loss: " + text(99 - i % 10 * 9) + "\n";
  EXPECT_EQ(run_of(folds).ranks().size(), 1U);
}

TEST(RankSplitter, TellsRanksApartThatStandOneAfterTheOtherWhereTheLossVaries) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::minstd_rand chance(seed);
    std::string log;
    for (int i = 0; i < 200; ++i)
      log += "[" + text(i / 100) + "] epoch: 1 step: " + text(i % 100) + ", loss is " +
             noisy(2.3 * std::exp(-0.02 * (i % 100)), chance) + "\n";
    EXPECT_EQ(run_of(log).ranks().size(), 2U) << seed;
  }
}

TEST(RankSplitter, TakesNoMetricForARank) {
  const std::string values = "4710032506";  // Of a metric that is called "rank".
  const std::pair<const char*, std::function<std::string(int i, const std::string& rank)>> logs[] = {
      {"behind the loss",
       [](int i, const auto& rank) { return "step " + text(i) + " loss: 2.5, rank: " + rank; }},
      {"of training and validation",
       [](int i, const auto&) {
         return i % 2 == 0 ? "step " + text(i) + " loss: 2.5, rank: 0"
                           : "step " + text(i - 1) + " val_loss: 2.5, rank: 1";
       }},
      {"JSON", [](int, const auto& rank) { return R"({"rank": )" + rank + R"(, "loss": 2.5})"; }},
      {"JSON with epochs",
       [](int i, const auto& rank) {
         return R"({"epoch": )" + text(i / 2) + R"(, "rank": )" + rank + R"(, "loss": 2.5})";
       }},
      {"JSON with steps",
       [](int i, const auto& rank) {
         return R"({"step": )" + text(i) + R"(, "rank": )" + rank + R"(, "loss": 2.5})";
       }},
      {"JSON with the steps of epochs",
       [](int i, const auto& rank) {
         return R"({"step": )" + text(i % 7) + R"(, "rank": )" + rank + R"(, "loss": 2.5})";
       }},
      {"JSON with a value for each epoch",
       [](int i, const auto&) {
         return R"({"step": )" + text(i % 7) + R"(, "rank": )" + text(i / 7 * 3) + R"(, "loss": 2.5})";
       }},
  };
  for (const auto& [what, line] : logs) {
    std::string log;
    for (int i = 0; i < 100; ++i)
      log += line(i, std::string(1, values[static_cast<std::size_t>(i % 10)])) + "\n";
    for (const std::size_t piece : {std::string::npos, std::size_t{40}})
      EXPECT_EQ(run_of(log, piece).ranks().size(), 1U) << what;
  }
}

TEST(RankSplitter, HoldsLinesBackForTwoSecondsAtMost) {
  monitor::Run run;
  run.feed(0, "[1] loss: 3\n", 1'000'000);
  EXPECT_EQ(run.merged().size(), 1U);
  run.feed(0, "[2] loss: 2\n", 2'000'000);
  EXPECT_EQ(run.merged().size(), 1U) << "it may be that of rank 2";
  run.feed(0, "[3] loss: 1\n", 2'003'000);
  EXPECT_EQ(run.merged().size(), 3U);
  EXPECT_EQ(run.ranks().size(), 1U);
}

TEST(RankSplitter, PassesOnWhatItHoldsBackWhereNothingComes) {
  for (const std::int64_t read_ms : {std::int64_t{0}, std::int64_t{5'000'000}}) {
    monitor::Run run;
    run.feed(0, "[1] loss: 3\n[2] loss: 2\n", read_ms);
    EXPECT_EQ(run.merged().size(), 1U);
    EXPECT_EQ(run.pass_on_late(5'002'000), read_ms == 0);
    EXPECT_EQ(run.pass_on_late(5'002'001), read_ms != 0);
    ASSERT_EQ(run.merged().size(), 2U);
    EXPECT_EQ(run.merged()[1].time_ms, read_ms) << "when it came";
  }
}

TEST(RankSplitter, KeepsTheRanksOfSeveralLogsApart) {
  const auto tag = [](int rank) { return "[default" + text(rank) + "]:"; };
  monitor::Run run;
  for (const std::uint32_t node : {0U, 1U}) run.feed(node, drifting(tag, iteration));
  run.finish_all();
  EXPECT_EQ(run.ranks().size(), 4U);
  EXPECT_EQ(run.ranks().at(3).series.points().size(), 12U);
}

TEST(RankSplitter, LeavesTheLogOfARankToThatRank) {
  monitor::Run run;
  for (const std::uint32_t rank : {0U, 1U, 2U})
    run.feed(rank, "[rank0]: iter 1: loss 2\n[rank0]: iter 2: loss 1\n");
  EXPECT_EQ(ranks_of(run),
            "0: 2 steps, epoch 1 step 2, 1: 2 steps, epoch 1 step 2, 2: 2 steps, epoch 1 step 2");
}

TEST(RankSplitter, ReadsALineThatSeveralRanksPrintForEachOfThem) {
  std::string log;
  for (int step = 1; step <= 3; ++step)
    log += "[0-2] iter " + text(step) + ": loss 2\n[3] iter " + text(step) + ": loss 3\n";
  const monitor::Run run = run_of(log);
  EXPECT_EQ(run.ranks().size(), 4U);
  ASSERT_EQ(run.merged().size(), 3U);
  EXPECT_EQ(run.merged()[2], (MergedPoint{3, 1, 3, 2, 2, 3, 4, 0}));
}

TEST(RankSplitter, TakesNoListForMoreRanksThanItMayHave) {
  std::string log;
  for (int step = 1; step <= 3; ++step)
    log += "[0] iter " + text(step) + ": loss 2\n[1] iter " + text(step) + ": loss 3\n[0-99999] x\n";
  EXPECT_EQ(run_of(log).ranks().size(), 2U);
  EXPECT_LE(run_of(log + "[0-99999] loss 2\n").ranks().size(), 1024U);
}

TEST(RankSplitter, PassesOnWhatTheLauncherPrintsBetween) {
  EXPECT_EQ(ranks_of(run_of("mpirun: loading\n[1,0]<stdout>:iter 0: loss 2\nmpirun noticed that loss\n"
                            "[1,1]<stdout>:iter 0: loss 3\n[1,1]<stderr>:iter 1: loss 3")),
            "0: 1 steps, epoch 1 step 0, 1: 2 steps, epoch 1 step 1");
}

TEST(RankSplitter, ReadsUtf16) {
  const std::string log = drifting([](int rank) { return text(rank) + ": "; }, iteration);
  std::string wide = "\xff\xfe";
  for (const char c : log) wide += {c, '\0'};
  EXPECT_EQ(ranks_of(run_of(wide, 11)), "0: 12 steps, epoch 1 step 11, 1: 12 steps, epoch 1 step 11");
}

TEST(RankSplitter, ReadsTheSameWhereverBytesAreCut) {
  std::minstd_rand chance(5);
  const std::vector<std::string> tags{"0: ",  "1: ",      "2: ",       "[0] ", "[1] ",
                                      "[7] ", "[rank0]:", "[rank1]: ", "",     "  "};
  const std::vector<std::string> lines{"loss: 2.5",
                                       "iter 1: loss 2",
                                       "iter 2: loss 1",
                                       "epoch 2 step 1 loss=nan",
                                       "Epoch 3/5",
                                       "1/4 - 1s - loss: 3",
                                       "[batch=7/9]:",
                                       "  loss: 4",
                                       "x",
                                       ""};
  for (int round = 0; round < 1000; ++round) {
    const std::size_t first = chance() % tags.size();
    const std::size_t kinds = 1 + chance() % 3;
    std::string log;
    for (auto left = chance() % 80; left > 0; --left)
      log += tags[(first + chance() % kinds) % tags.size()] + lines[chance() % lines.size()] + "\n";
    const monitor::Run whole = run_of(log);
    const monitor::Run cut = run_of(log, log.size() / 2 + 1);
    const monitor::Run pieces = run_of(log, 1 + chance() % 30);
    ASSERT_EQ(ranks_of(cut), ranks_of(whole)) << log;
    ASSERT_EQ(ranks_of(pieces), ranks_of(whole)) << log;
    ASSERT_EQ(pieces.merged(), whole.merged()) << log;
  }
}

TEST(RankSplitter, SaysWhereSeveralRanksSeemToPrintWithoutTags) {
  struct Case {
    const char* what;
    std::function<std::string(int line)> line;
    bool is_mixed = false;
  };
  const Case cases[] = {
      {"two ranks", [](int i) { return iteration(i % 2, i / 2); }, true},
      {"four ranks without tags",
       [](int i) { return "host" + std::string(1, 'a' + i % 4) + " " + iteration(i % 4, i / 4); }, true},
      {"one rank", [](int i) { return iteration(0, i); }},
      {"a progress bar that shows each loss at two steps",
       [](int i) {
         return "50%|##  | " + text((i + 1) / 2) + "/99 [00:01<00:01, 5it/s, loss=3." + text(i / 2) + "]";
       }},
      {"a progress bar of nan",
       [](int i) { return "50%|##  | " + text(i / 2) + "/99 [00:01<00:01, loss=nan]"; }},
      {"a progress bar that is drawn anew at an old step",
       [](int i) {
         return "50%|##  | " + text(i / 8 * 17) + "/999 [00:01<00:01, 5it/s, loss=3." + text(i) + "]";
       }},
      {"steps with ever more losses", [](int i) { return iteration(i, static_cast<int>(std::sqrt(2 * i))); }},
      {"parts of a batch", [](int i) { return "step " + text(i / 4) + " loss: 3." + text(i); }, true},
      {"a step that is printed twice", [](int i) { return iteration(0, i / 2); }},
      {"some steps of several losses", [](int i) { return iteration(i % 10 == 0, i - (i % 10 == 0)); }},
  };
  for (const Case& each : cases) {
    std::string log;
    for (int i = 0; i < 96; ++i) log += each.line(i) + "\n";
    const Summary summary = summary_of(run_of(log));
    EXPECT_EQ(summary.mixed.size(), each.is_mixed ? 1U : 0U) << each.what;
    const auto node_of = [](std::uint32_t) { return std::string(); };
    EXPECT_EQ(summary_json(summary, node_of).find("\"mixed\": []") == std::string::npos, each.is_mixed);
    const std::string last = summary_lines(summary, node_of).back();
    EXPECT_EQ(last.starts_with("mixed       rank 0: each step comes again"), each.is_mixed) << last;
  }
}

TEST(RankSplitter, TellsWhichRankHasBecomeSilent) {
  std::string log;
  for (int step = 0; step < 300; ++step)
    for (int rank = 0; rank < 3; ++rank)
      if ((rank != 1 || step <= 100) && (rank != 2 || step % 2 == 0))
        log += text(rank) + ": " + iteration(rank, rank == 2 ? step / 2 : step) + "\n";
  const monitor::Run run = run_of(log);
  EXPECT_FALSE(is_silent(run, run.ranks().at(0)));
  EXPECT_TRUE(is_silent(run, run.ranks().at(1)));
  EXPECT_FALSE(is_silent(run, run.ranks().at(2))) << "it is half as fast";
}

}  // namespace
}  // namespace adarun::monitor
