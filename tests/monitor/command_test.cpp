// SPDX-License-Identifier: Apache-2.0
// The built program on generated folders of logs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "launcher/record/job_index.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor {
namespace {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Command : testing::Test {
  test::ScratchFolder scratch;
  test::ScratchFolder home;

  // Runs `adarun` in `scratch`, with a state folder of its own; an alarm ends a run that does not end by
  // itself.
  Outcome adarun(const std::vector<std::string>& arguments) {
    const pid_t child = fork();
    if (child == 0) become(arguments);
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(home.path() / "out"),
            content(home.path() / "err")};
  }

  void write_run() {
    for (int rank = 0; rank < 4; ++rank) {
      std::string text = "============== Starting Training ==============\n";
      for (int step = 1; step <= (rank == 3 ? 1 : 4); ++step) {
        text += "epoch: 1 step: " + std::to_string(step) + ", loss is " +
                std::to_string(3 - 0.5 * step + 0.1 * rank) + "\n";
      }
      if (rank == 0) {
        text +=
            "Train epoch time: 1600.0 ms, per step time: 400.0 ms\nthroughput: 1234 images/s\naccuracy: "
            "0.985\n";
      }
      scratch.write("log_output/worker_" + std::to_string(rank) + ".log", text);
    }
  }

  void write_job(const std::string& folder, const std::string& state) {
    const nlohmann::json job{{"id", "job-1"},
                             {"state", state},
                             {"world_size", 5},
                             {"log_dir", (scratch.path() / "log_output").string()},
                             {"status", 7}};
    const auto path = scratch.write("job.json", job.dump());
    std::filesystem::create_directories(folder);
    std::filesystem::rename(path, folder + "/job.json");
  }

  // A job of two attempts: 4 ranks print steps 1 to 4, then 2 ranks steps 3 to 5 with half the loss.
  void write_attempts(const std::string& first = "20261125-093231-4ab0a8") {
    const auto write_logs = [this](const std::string& folder, int ranks, int from, int to, double loss) {
      std::string text;
      for (int step = from; step <= to; ++step)
        text += "epoch: 1 step: " + std::to_string(step) + ", loss is " + std::to_string(loss) + "\n";
      for (int rank = 0; rank < ranks; ++rank)
        scratch.write(folder + "/worker_" + std::to_string(rank) + ".log", text);
    };
    write_logs("log_output.20261125-093231-4ab0a8", 4, 1, 4, 2);
    write_logs("log_output", 2, 3, 5, 1);
    scratch.write("log_output.20261125-093231-4ab0a8/job.json", R"({"id": "20261125-093231-4ab0a8"})");
    const nlohmann::json earlier{{"id", first},      {"nodes", "node[1-2]"},
                                 {"world_size", 4},  {"failure", "node2: gone"},
                                 {"duration_ms", 5}, {"change", "node2 is lost; \x1b[31mnode3 joins"}};
    scratch.write("log_output/job.json",
                  nlohmann::json{{"id", "20261125-093233-9c21d0"},
                                 {"state", "done"},
                                 {"status", 0},
                                 {"world_size", 2},
                                 {"earlier_attempts", nlohmann::json::array({earlier})}}
                      .dump());
  }

  std::string logs() const { return (scratch.path() / "log_output").string(); }

 private:
  [[noreturn]] void become(const std::vector<std::string>& arguments) {
    const std::string out = (home.path() / "out").string();
    const std::string err = (home.path() / "err").string();
    if (std::freopen(out.c_str(), "w", stdout) == nullptr ||
        std::freopen(err.c_str(), "w", stderr) == nullptr || chdir(scratch.path().c_str()) != 0) {
      _exit(99);
    }
    setenv("XDG_STATE_HOME", home.path().c_str(), 1);
    alarm(30);
    std::vector<std::string> words{ADARUN_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(ADARUN_PROGRAM, argv.data());
    _exit(98);
  }
};

TEST_F(Command, MonitorSummarisesAFolder) {
  write_run();
  const Outcome outcome = adarun({"monitor", "--once"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, R"(ranks       4, 4 with loss lines
steps       4, epoch 1 step 1 to epoch 1 step 4
loss        2.6500 -> 1.1000  (median; last: min 1.0000, max 1.2000 over 3 ranks)
best        1.1000 at epoch 1 step 4
throughput  1,234 images/s
step time   400.0 ms
accuracy    0.9850
behind      rank 3
)");
}

TEST_F(Command, MonitorCountsStepsAndThoseThatWerePrinted) {
  for (int rank = 0; rank < 3; ++rank) {
    std::string text;
    for (const int step : {1, 10, 20, 30})
      if (step < 30 || rank == 2)
        text += "epoch: 1 step: " + std::to_string(step) + ", loss is " +
                std::to_string(4 + rank - 0.1 * step) + "\n";
    scratch.write("log_output/worker_" + std::to_string(rank) + ".log", text);
  }
  const Outcome outcome = adarun({"monitor", "--once"});
  EXPECT_EQ(outcome.out, R"(ranks       3, 3 with loss lines
steps       30, 4 of them printed, epoch 1 step 1 to epoch 1 step 30
loss        4.9000 -> 3.0000  (median; epoch 1 step 20: min 2.0000, max 4.0000 over 3 ranks)
best        3.0000 at epoch 1 step 20
)");
}

TEST_F(Command, MonitorSummarisesAJobThatWentOnWithoutSomeRanks) {
  nlohmann::json ranks = nlohmann::json::array();
  for (int rank = 0; rank < 4; ++rank) {
    std::string text;
    for (const int step : {1, 25, 50, 75, 100, 125, 150})
      if (step <= 100 || rank < 2)
        text += "epoch: 1 step: " + std::to_string(step) + ", loss is " + std::to_string(200 - step) + "\n";
    scratch.write("log_output/worker_" + std::to_string(rank) + ".log", text);
    ranks.push_back({{"rank", rank}, {"state", rank < 2 ? "done" : "failed"}, {"node", "node1"}});
  }
  const nlohmann::json job{
      {"id", "job-1"}, {"state", "done"}, {"status", 0}, {"world_size", 4}, {"ranks", ranks}};
  scratch.write("log_output/job.json", job.dump());
  const Outcome outcome = adarun({"monitor", "--once"});
  EXPECT_NE(outcome.out.find("(median; last: min 50.000, max 50.000 over 2 ranks)\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("ended       ranks 2, 3\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("behind"), std::string::npos) << outcome.out;
  EXPECT_EQ(nlohmann::json::parse(adarun({"monitor", "--once", "--json"}).out)["ended"],
            nlohmann::json::array({2, 3}));
}

TEST_F(Command, MonitorSummarisesForPrograms) {
  write_run();
  write_job(logs(), "failed");
  const Outcome outcome = adarun({"monitor", "--once", "--json", "log_output"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["ranks"], 5);
  EXPECT_EQ(json["behind"], nlohmann::json::array({3}));
  EXPECT_EQ(json["silent"], nlohmann::json::array({4}));
  EXPECT_EQ(json["first"]["max"], 2.8);
  EXPECT_EQ(json["first_not_finite"], nullptr);
}

TEST_F(Command, MonitorCheckSaysByItsStatusWhetherItFoundAnything) {
  write_run();
  EXPECT_EQ(adarun({"monitor", "--check"}).status, 0);
  scratch.write("log_output/worker_2.log", "epoch: 1 step: 1, loss is 3\nepoch: 1 step: 2, loss is nan\n");
  const nlohmann::json ranks{{{"rank", 2}, {"state", "failed"}, {"node", "node7"}}};
  const nlohmann::json job{{"id", "job-1"}, {"state", "failed"}, {"ranks", ranks}};
  scratch.write("log_output/job.json", job.dump());
  const Outcome outcome = adarun({"monitor", "--check"});
  EXPECT_EQ(adarun({"monitor", "--check", "--csv", "loss.csv"}).status, 1);
  EXPECT_EQ(adarun({"monitor", "--csv", "loss.csv"}).status, 0);
  EXPECT_EQ(adarun({"monitor", "--check", "--csv", "-"}).status, 2);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  const std::string wanted =
      "nan or inf  rank 2 on node7, epoch 1 step 2: its loss is nan or inf; that of no other rank is\n";
  EXPECT_NE(outcome.out.find(wanted), std::string::npos) << outcome.out;
  const auto found = nlohmann::json::parse(adarun({"monitor", "--check", "--json"}).out)["findings"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]["node"], "node7");
  EXPECT_EQ(found[0]["step"], 2);
}

TEST_F(Command, MonitorReadsLinesOfAPatternAndRefusesABadOne) {
  scratch.write("odd.log", "it 1 :: train 2.5\nit 2 :: train 1.5\n");
  EXPECT_EQ(adarun({"monitor", "--once", "odd.log"}).status, 3);
  const std::string pattern = "it (?<step>\\d+) :: train (?<loss>\\S+)";
  const Outcome outcome =
      adarun({"monitor", "--once", "--pattern", "x(?<lr>.)", "--pattern", pattern, "odd.log"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("2.5000 -> 1.5000"), std::string::npos) << outcome.out;
  const Outcome bad = adarun({"monitor", "--once", "--pattern", "it (?<stop>\\d+)", "odd.log"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("at character 7: unknown name \"stop\"; wanted one of loss, epoch"),
            std::string::npos)
      << bad.err;
}

TEST_F(Command, MonitorFindsAJobByItsIdEvenWhereItsFolderWasRenamed) {
  write_run();
  write_job(home.path().string() + "/adarun/jobs/job-1", "failed");
  EXPECT_EQ(adarun({"monitor", "--once", "job-1"}).status, 0);
  std::filesystem::rename(logs(), logs() + ".job-1");
  EXPECT_EQ(adarun({"monitor", "--once", "job-1"}).status, 0);
  std::filesystem::remove_all(logs() + ".job-1");
  const Outcome gone = adarun({"monitor", "--once", "job-1"});
  EXPECT_EQ(gone.status, 3);
  EXPECT_NE(gone.err.find("log_output, is gone"), std::string::npos) << gone.err;
}

TEST_F(Command, MonitorSaysWhereItLookedWhenThereIsNothing) {
  const Outcome missing = adarun({"monitor", "--once"});
  EXPECT_EQ(missing.status, 3);
  EXPECT_EQ(missing.err, "adarun: nothing to read: \"log_output\" is no file or folder here and no job in " +
                             home.path().string() + "/adarun/jobs\n");
  scratch.write("log_output/note.txt", "");
  for (const auto& arguments : {std::vector<std::string>{"monitor", "--once"}, {"monitor"}, {"logs"}}) {
    const Outcome empty = adarun(arguments);
    EXPECT_EQ(empty.status, 3);
    EXPECT_NE(empty.err.find("looked for worker_<rank>.log"), std::string::npos) << empty.err;
  }
  scratch.write("log_output/worker_0.log", "no such line\n");
  const Outcome silent = adarun({"monitor", "--once"});
  EXPECT_EQ(silent.status, 3);
  EXPECT_NE(silent.err.find("no loss line in 1 log"), std::string::npos) << silent.err;
  scratch.write("log_output/worker_0.log", "BZh91AY");
  const std::string packed = adarun({"monitor", "--once"}).err;
  EXPECT_NE(packed.find("; worker_0.log is a bzip2 archive: unpack it"), std::string::npos) << packed;
}

TEST_F(Command, MonitorOfAnEndedJobWithoutLossesSaysSo) {
  scratch.write("log_output/worker_0.log", "no such line\n");
  scratch.write("log_output/worker_1.log", "");
  write_job(logs(), "done");
  const Outcome outcome = adarun({"monitor"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "adarun: nothing to read: log_output: no loss line in 2 logs\n");
}

TEST_F(Command, MonitorTellsWhenItWasThatOldLogsShowAFault) {
  scratch.write("log_output/worker_0.log",
                "2026-11-21 10:00:01,250 INFO epoch: 1 step: 1, loss is 3\n"
                "2026-11-21 10:00:02,500 INFO saved\n"
                "epoch: 1 step: 2, loss is nan\n"
                "2026-11-21 10:00:09,000 INFO epoch: 1 step: 3, loss is nan\n");
  const std::string written = "that of no other rank is (2026-11-21 10:00:02)\n";
  const Outcome outcome = adarun({"monitor", "--check"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find(written), std::string::npos) << outcome.out;
  // Recorded arrival times take precedence over the times in the lines: they are all by one clock.
  scratch.write("log_output/line_times.txt",
                "adarun line times 1 -\n1763719200000 0:92\n1763719201000 0:30\n1763719202000 0:59\n");
  const auto json = nlohmann::json::parse(adarun({"monitor", "--json"}).out);
  ASSERT_EQ(json["findings"].size(), 1U);
  EXPECT_EQ(json["findings"][0]["time_ms"], 1763719201000);
}

TEST_F(Command, MonitorWritesPicturesAndTables) {
  write_run();
  const Outcome outcome = adarun({"monitor", "--plot", "loss.png", "--csv", "-"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("run,rank,position,epoch,step,loss,min,max,not_finite,validation\nlog_output,0,"
                             "1,1,1,2.5,2.5,2.5,0,\n"),
            0U)
      << outcome.out;
  EXPECT_EQ(outcome.err, "adarun: wrote loss.png\n");
  EXPECT_EQ(content(scratch.path() / "loss.png").substr(1, 3), "PNG");
  EXPECT_EQ(adarun({"monitor", "--plot", "loss.svg", "--csv", "loss.csv"}).err,
            "adarun: wrote loss.svg\nadarun: wrote loss.csv\n");
  EXPECT_EQ(content(scratch.path() / "loss.svg").substr(0, 4), "<svg");
  EXPECT_EQ(adarun({"monitor", "--plot", "loss.gif"}).status, 2);
  const Outcome nowhere = adarun({"monitor", "--csv", "none/loss.csv"});
  EXPECT_EQ(nowhere.status, 3);
  EXPECT_NE(nowhere.err.find("none/loss.csv: cannot be written: No such file or directory"),
            std::string::npos)
      << nowhere.err;
}

TEST_F(Command, MonitorComparesRuns) {
  write_run();
  std::filesystem::rename(scratch.path() / "log_output", scratch.path() / "one");
  scratch.write("two/worker_0.log", "epoch: 1 step: 1, loss is 9\nepoch: 1 step: 2, loss is nan\n");
  const Outcome table = adarun({"monitor", "--compare", "one", "two"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("RUN"), std::string::npos);
  EXPECT_NE(table.out.find("\none"), std::string::npos) << table.out;
  EXPECT_EQ(table.out.find("VALIDATION"), std::string::npos);
  EXPECT_EQ(adarun({"monitor", "--compare", "--check", "one", "two"}).status, 1);
  const auto json = nlohmann::json::parse(adarun({"monitor", "--compare", "--json", "one", "two"}).out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1]["run"], "two");
  EXPECT_EQ(json[1]["first"]["median"], 9);
  scratch.write("two/worker_1.log", "epoch: 1 step: 1, loss is 9\nval_loss: 0.75\n");
  const std::string validated = adarun({"monitor", "--compare", "one", "two"}).out;
  EXPECT_NE(validated.find("  VALIDATION  STEP TIME"), std::string::npos) << validated;
  EXPECT_NE(validated.find("  0.7500"), std::string::npos) << validated;
}

// Two jobs of two ranks each, in the folders "one" and "two".
struct TwoJobs : Command {
  TwoJobs() {
    for (const std::string name : {"one", "two"}) {
      for (const std::string rank : {"0", "1"})
        scratch.write(name + "/worker_" + rank + ".log",
                      "epoch: 1 step: 1, loss is " + std::string(name == "one" ? "2" : "8") + "\n");
      scratch.write(name + "/job.json", R"({"id": "job-)" + name + R"(", "state": "done", "world_size": 2})");
    }
  }

  std::vector<std::string> monitor(std::vector<std::string> words) {
    words.insert(words.begin(), "monitor");
    words.insert(words.end(), {"one", "two"});
    return words;
  }
};

TEST_F(TwoJobs, AreNeverTakenForOneRun) {
  const std::string summary = adarun(monitor({"--once"})).out;
  EXPECT_NE(summary.find("\njob-one      2  2.0000"), std::string::npos) << summary;
  EXPECT_NE(summary.find("\njob-two      2  8.0000"), std::string::npos) << summary;
  EXPECT_EQ(nlohmann::json::parse(adarun(monitor({"--json"})).out).size(), 2U);
  const std::string table = adarun(monitor({"--csv", "-"})).out;
  EXPECT_NE(table.find("\njob-one,1,1,"), std::string::npos) << table;
  EXPECT_NE(table.find("\njob-two,0,1,"), std::string::npos) << table;
  EXPECT_EQ(adarun(monitor({"--plot", "both.svg"})).status, 0);
  const std::string picture = content(scratch.path() / "both.svg");
  EXPECT_NE(picture.find("job-two"), std::string::npos);
}

TEST_F(TwoJobs, AreRefusedByTheLiveView) {
  const Outcome live = adarun(monitor({}));
  EXPECT_EQ(live.status, 2);
  EXPECT_EQ(live.err.find("adarun: logs of 2 jobs (job-one, job-two), and the live view shows one: "), 0U)
      << live.err;
}

TEST_F(TwoJobs, AreToldApartByTheirLogsToo) {
  const auto ranks = [this](const std::vector<std::string>& places) {
    std::vector<std::string> words{"monitor", "--json"};
    words.insert(words.end(), places.begin(), places.end());
    const auto json = nlohmann::json::parse(adarun(words).out);
    return json.is_array() ? json.size() * 10 : json["ranks"].get<std::size_t>();
  };
  EXPECT_EQ(ranks({"one/worker_0.log", "two/worker_0.log"}), 20U);
  EXPECT_EQ(ranks({"one/worker_0.log", "one/worker_1.log"}), 2U);
  EXPECT_EQ(ranks({"one", "one/worker_1.log"}), 2U);
  std::filesystem::remove(scratch.path() / "two/job.json");
  EXPECT_EQ(ranks({"one", "two"}), 20U);
  std::filesystem::remove(scratch.path() / "one/job.json");
  EXPECT_EQ(ranks({"one", "two"}), 4U);
}

TEST_F(TwoJobs, AreCheckedEach) {
  scratch.write("two/worker_1.log", "epoch: 1 step: 1, loss is nan\n");
  const Outcome check = adarun(monitor({"--check"}));
  EXPECT_EQ(check.status, 1);
  EXPECT_NE(check.out.find("\njob-two: nan or inf: rank 1, epoch 1 step 1: "), std::string::npos)
      << check.out;
}

TEST_F(Command, MonitorOfAnEndedJobTellsEachStepAndEnds) {
  write_run();
  write_job(logs(), "done");
  const Outcome outcome = adarun({"monitor"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("epoch 1 step 1  loss 2.6500 (min 2.5000, max 2.8000 over 4 ranks)\n"), 0u)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\nepoch 1 step 4  loss 1.1000"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Command, MonitorOfAJobThatHasFailedSaysSoAtItsEnd) {
  write_run();
  write_job(logs(), "failed");
  const Outcome outcome = adarun({"monitor"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "adarun: job job-1: failed, status 7\n");
}

TEST_F(Command, MonitorOfAnEarlierAttemptEndsThoughTheJobGoesOn) {
  const launcher::SupervisorProcess self = launcher::supervisor_here("", false);
  const nlohmann::json supervisor{{"host", self.host}, {"pid", self.pid}, {"ticks", self.ticks}};
  scratch.write("log_output.a-1/worker_0.log", "epoch: 1 step: 1, loss is 2.0\n");
  scratch.write("log_output.a-1/job.json",
                nlohmann::json{{"id", "a-1"}, {"state", "failed"}, {"supervisor", supervisor}}.dump());
  const Outcome shown = adarun({"monitor", "log_output.a-1"});
  EXPECT_NE(shown.status, -1) << "an alarm had to end it";
  EXPECT_NE(shown.out.find("epoch 1 step 1"), std::string::npos) << shown.out << shown.err;
}

TEST_F(Command, MonitorReadsAllAttemptsAtAJobAsOne) {
  write_attempts();
  const Outcome outcome = adarun({"monitor", "--once"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, R"(job         20261125-093233-9c21d0, done, status 0
ranks       2, 2 with loss lines
attempt 2   from epoch 1 step 3: node2 is lost; node3 joins
steps       5, epoch 1 step 1 to epoch 1 step 5
loss        2.0000 -> 1.0000  (median; last: min 1.0000, max 1.0000 over 2 ranks)
best        1.0000 at epoch 1 step 3
)");
  const auto json = nlohmann::json::parse(adarun({"monitor", "--json"}).out);
  EXPECT_EQ(json["first"]["ranks"], 4);
  EXPECT_EQ(json["attempts"][1]["position"], 3);
  EXPECT_EQ(json["attempts"][1]["change"], "node2 is lost; node3 joins");
  const std::string table = adarun({"monitor", "--csv", "-"}).out;
  EXPECT_NE(table.find("20261125-093233-9c21d0,3,2,1,2,2,2,2,0,\n"), std::string::npos) << table;
  EXPECT_EQ(adarun({"monitor", "--plot", "loss.svg"}).status, 0);
  EXPECT_NE(content(scratch.path() / "loss.svg").find("node2 is lost; node3 joins"), std::string::npos);
  const std::string lines = adarun({"monitor"}).out;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 5) << lines;
}

TEST_F(Command, MonitorReadsOnlyTheLastAttemptWhereThatIsWantedOrNoOtherIsThere) {
  write_attempts();
  const auto steps = [this](const std::vector<std::string>& words) {
    return nlohmann::json::parse(adarun(words).out)["steps"];
  };
  EXPECT_EQ(steps({"monitor", "--json"}), 5);
  EXPECT_EQ(steps({"monitor", "--json", "--last-attempt"}), 3);
  const auto compared = nlohmann::json::parse(
      adarun({"monitor", "--json", "log_output", "log_output.20261125-093231-4ab0a8"}).out);
  EXPECT_EQ(compared[0]["steps"], 3) << "each attempt is a run of its own";
  EXPECT_EQ(compared[1]["steps"], 4);
  std::filesystem::remove_all(scratch.path() / "log_output.20261125-093231-4ab0a8");
  EXPECT_EQ(steps({"monitor", "--json"}), 3);
}

TEST_F(Command, MonitorReadsNoFoldersThatIdsOfAttemptsCouldName) {
  scratch.write("outside/worker_0.log", "epoch: 1 step: 1, loss is 7\n");
  for (const char* id : {"/../outside", "../../outside", "x/../../outside", ""}) {
    write_attempts(id);
    const auto json = nlohmann::json::parse(adarun({"monitor", "--json"}).out);
    EXPECT_EQ(json["steps"], 3) << id;
    EXPECT_EQ(json["attempts"].size(), 1U) << id;
  }
}

TEST_F(Command, LogsPrintsOneRankByteForByte) {
  const std::string text("a\0b\x1b[31m\r\nno end", 15);
  scratch.write("log_output/worker_3.log", text);
  scratch.write("log_output/worker_4.log", "x\n");
  EXPECT_EQ(adarun({"logs", "--rank", "3", "log_output"}).out, text);
}

TEST_F(Command, LogsSaysWhoseLinesTheyAre) {
  scratch.write("log_output/worker_0.log", "a\nb\n");
  scratch.write("log_output/worker_1.log", "c\nd");
  scratch.write("log_output/worker_2.log", "e\n");
  EXPECT_EQ(adarun({"logs", "--rank", "0,1", "--tag-output"}).out, "[0] a\n[0] b\n[1] c\n[1] d\n");
  EXPECT_EQ(adarun({"logs", "--tail", "1"}).out,
            "==> log_output/worker_0.log <==\nb\n\n==> log_output/worker_2.log <==\ne\n"
            "\n==> log_output/worker_1.log <==\nd\n");
}

TEST_F(Command, LogsFollowsUntilTheJobHasEnded) {
  scratch.write("log_output/worker_0.log", "a\n");
  write_job(logs(), "done");
  const Outcome outcome = adarun({"logs", "--follow", "--tag-output"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "[0] a\n");
}

TEST_F(Command, LogsRefusesARankWithoutLog) {
  scratch.write("log_output/worker_0.log", "a\n");
  const Outcome outcome = adarun({"logs", "--rank", "0,9"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.err, "adarun: nothing to read: log_output: no log of rank 9\n");
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(adarun({"logs", "--rank", "-1"}).status, 2);
  EXPECT_EQ(adarun({"logs", "--rank", "x"}).status, 2);
}

}  // namespace
}  // namespace adarun::monitor
