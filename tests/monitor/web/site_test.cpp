// SPDX-License-Identifier: Apache-2.0
// The answers of the page's server, without a network: a registry over generated folders of logs.
#include "monitor/web/site.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "monitor/base/error.h"
#include "tests/monitor/packed.h"
#include "tests/scratch_folder.h"

namespace adarun::monitor::web {
namespace {

using nlohmann::json;

struct SiteTest : testing::Test {
  test::ScratchFolder scratch;
  JobFacts facts{"running",      1'700'000'000'000'000'000,   3,
                 "train.sh <b>", {{1, ProcessState::failed}}, {{1, "node<2>"}}};

  // Ranks 0 and 1 with losses, rank 2 with none.
  void write_run(const std::string& folder, double last = 1) {
    for (const int rank : {0, 1}) {
      std::string text = "<script>alert(1)</script>\n";
      for (int step = 1; step <= 4; ++step)
        text += "epoch: 1 step: " + std::to_string(step) + ", loss is " +
                std::to_string(5 - step + 0.5 * rank) + "\n";
      text += "epoch: 1 step: 5, loss is " + std::to_string(last + rank) + "\n";
      text += "Train epoch time: 50.000 ms, per step time: 10.000 ms\n";
      scratch.write(folder + "/worker_" + std::to_string(rank) + ".log", text);
    }
  }

  // One rank of an attempt at a job, with these steps.
  void write_attempt(const std::string& folder, int from, int to, double loss) {
    std::string text;
    for (int step = from; step <= to; ++step)
      text += "epoch: 1 step: " + std::to_string(step) + ", loss is " + std::to_string(loss) + "\n";
    scratch.write(folder + "/worker_0.log", text);
  }

  JobSource source() {
    JobSource source;
    source.list = [] {
      return std::vector<JobEntry>{
          {"a", "first", "running", 0, 3}, {"b", "second", "done", 0, 2}, {"gone", "", "", 0, 0}};
    };
    source.open = [this](const std::string& id) {
      if (id == "gone") throw Error("its folder is gone");
      return std::make_unique<WatchedRun>(std::vector{scratch.path() / id}, "");
    };
    source.facts = [this](const std::string& id) { return id == "a" ? facts : JobFacts{}; };
    return source;
  }

  static void read_all(RunRegistry& registry) {
    while (registry.poll(RunRegistry::Clock::now())) {
    }
  }

  static json ask(RunRegistry& registry, const std::string& path,
                  std::map<std::string, std::string> parameters, int status = 200) {
    const PageReply reply = Site(registry).answer({path, std::move(parameters)});
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(reply.type, "application/json");
    return json::parse(reply.body);
  }
};

struct ShownSite : SiteTest {
  ShownSite() {
    write_run("a");
    write_run("b", 7);
    read_all(registry);
  }
  RunRegistry registry{(write_run("a"), source()), {"a"}};
};

TEST_F(ShownSite, ServesThePageFromTheProgramItself) {
  for (const char* path : {"/", "/style.css", "/app.js", "/chart.js", "/log.js", "/parts.js", "/api.js"}) {
    const PageReply reply = Site(registry).answer({path, {}});
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_NE(reply.body.find("SPDX-License-Identifier"), std::string::npos) << path;
  }
}

TEST_F(ShownSite, NamesNoFileOfTheHost) {
  for (const char* path : {"/etc/passwd", "/../etc/passwd", "/..%2fetc/passwd", "//etc/passwd",
                           "/page/app.js", "", "/api/", "/a/worker_0.log"})
    EXPECT_EQ(Site(registry).answer({path, {}}).status, 404) << path;
  for (const char* rank : {"2", "99", "4294967295"})
    ask(registry, "/api/log", {{"id", "a"}, {"rank", rank}}, 404);
  for (const char* rank : {"../worker_0", "-1", "0x0", "4294967296", "1e0"})
    ask(registry, "/api/log", {{"id", "a"}, {"rank", rank}}, 400);
  for (const char* id : {"", "../a", "/etc", "c", "."})
    ask(registry, "/api/log", {{"id", id}, {"rank", "0"}}, 404);
}

TEST_F(ShownSite, TellsOfARun) {
  const json run = ask(registry, "/api/run", {{"id", "a"}});
  EXPECT_EQ(run["ranks"], 3);
  EXPECT_EQ(run["state"], "running");
  EXPECT_EQ(run["command"], "train.sh <b>");
  EXPECT_EQ(run["now"]["median"], 1.5);
  EXPECT_EQ(run["position"], 5);
  EXPECT_EQ(run["step_times"]["bars"].size(), 1U);
  EXPECT_NEAR(run["seconds"].get<double>(), 0.05, 1e-9);
  EXPECT_EQ(run["time_source"], "from printed times of epochs");
  ASSERT_EQ(run["rows"].size(), 3U);
  EXPECT_EQ(run["rows"][0]["rank"], 1) << "the one in trouble comes first";
  EXPECT_EQ(run["rows"][0]["node"], "node<2>");
  EXPECT_EQ(run["rows"][2]["log"], false);
}

TEST_F(ShownSite, DrawsTheMedianAndItsBand) {
  const json chart = ask(registry, "/api/chart", {{"id", "a"}});
  EXPECT_EQ(chart["x"], json({1, 2, 3, 4, 5}));
  EXPECT_EQ(chart["low"], json({4, 3, 2, 1, 1}));
  EXPECT_EQ(chart["middle"], json({4.25, 3.25, 2.25, 1.25, 1.5}));
  EXPECT_EQ(chart["high"], json({4.5, 3.5, 2.5, 1.5, 2}));
}

TEST_F(ShownSite, DrawsOneRankOverTimeAndAPartOfARun) {
  const json rank = ask(registry, "/api/chart", {{"id", "a"}, {"rank", "1"}, {"axis", "time"}});
  EXPECT_EQ(rank["middle"], json({4.5, 3.5, 2.5, 1.5, 2}));
  EXPECT_NEAR(rank["x"][4].get<double>(), 0.05, 1e-9);
  const json part = ask(registry, "/api/chart", {{"id", "a"}, {"from", "3"}, {"to", "3"}});
  EXPECT_EQ(part["x"], json({2, 3, 4})) << "with a neighbour on either side";
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}, {"slices", "1"}})["x"], json({5}));
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}, {"rank", "7"}})["x"], json::array());
}

TEST_F(ShownSite, TellsTheRanksApartAtAStep) {
  const json at = ask(registry, "/api/at", {{"id", "a"}, {"x", "1.5"}});
  EXPECT_EQ(at["step"], 2);
  EXPECT_EQ(at["ranks"], json({0, 1}));
  EXPECT_EQ(at["losses"], json({3, 3.5}));
  EXPECT_EQ(ask(registry, "/api/at", {{"id", "a"}, {"x", "99"}}), json::object());
}

TEST_F(ShownSite, RefusesNumbersThatAreNone) {
  for (const char* number : {"x", "nan", "1 ", "1e999", ","})
    ask(registry, "/api/chart", {{"id", "a"}, {"from", number}}, 400);
  ask(registry, "/api/chart", {{"id", "a"}, {"slices", "-1"}}, 400);
}

TEST_F(ShownSite, ShowsLogsAsText) {
  const json page = ask(registry, "/api/log", {{"id", "a"}, {"rank", "0"}, {"find", "ALERT"}});
  ASSERT_EQ(page["lines"].size(), 1U);
  EXPECT_EQ(page["lines"][0]["text"], "<script>alert(1)</script>");
}

TEST_F(ShownSite, ShowsPackedLogsToo) {
  scratch.write("a/worker_3.log.gz", packed("epoch: 1 step: 1, loss is 2\n<packed>\n"));
  registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(2));
  const json page = ask(registry, "/api/log", {{"id", "a"}, {"rank", "3"}, {"lines", "1"}});
  ASSERT_EQ(page["lines"].size(), 1U);
  EXPECT_EQ(page["lines"][0]["text"], "<packed>");
}

TEST_F(ShownSite, SaysWhyAJobCannotBeOpenedHoweverLateItIsHeard) {
  // Each poll searches for jobs too; that is when the reason used to be lost.
  std::jthread polling([this, now = RunRegistry::Clock::now()](const std::stop_token& stop) mutable {
    while (!stop.stop_requested()) registry.poll(now += std::chrono::seconds(2));
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(ask(registry, "/api/run", {{"id", "gone"}}, 404)["error"], "its folder is gone");
}

TEST_F(ShownSite, OpensAJobOfTheListWhenItIsAskedFor) {
  std::jthread polling([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) registry.poll(RunRegistry::Clock::now());
  });
  EXPECT_EQ(ask(registry, "/api/jobs", {})["jobs"].size(), 3U);
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "b"}})["id"], "b");
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "gone"}}, 404)["error"], "its folder is gone");
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "c"}}, 404)["error"], "no job \"c\" is known here");
}

TEST_F(ShownSite, TellsPrometheus) {
  const PageReply reply = Site(registry).answer({"/metrics", {}});
  EXPECT_EQ(reply.type, "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {"# TYPE adarun_loss_min gauge\nadarun_loss_min{run=\"a\"} 1\n", "adarun_step{run=\"a\"} 5\n",
        "adarun_rank_loss{run=\"a\",rank=\"1\",node=\"node<2>\"} 2\n",
        "adarun_rank_step_duration_seconds{run=\"a\",rank=\"0\"} 0.01\n",
        "adarun_ranks{run=\"a\",state=\"failed\"} 1\n", "adarun_ranks{run=\"a\",state=\"lost\"} 0\n",
        "adarun_step_duration_seconds_sum{run=\"a\"} 0.1\n",
        "adarun_step_duration_seconds_count{run=\"a\"} 10\n",
        "adarun_findings{run=\"a\",fault=\"stopped\"} 0\n"})
    EXPECT_NE(reply.body.find(line), std::string::npos) << line << reply.body;
}

TEST_F(ShownSite, TellsPrometheusOfTheRanksInTroubleFirstWhereThereAreMany) {
  for (int rank = 2; rank < 600; ++rank)
    scratch.write("a/worker_" + std::to_string(rank) + ".log", "epoch: 1 step: 5, loss is 1\n");
  facts.ranks[598] = ProcessState::lost;
  facts.nodes[598] = "node\xff";
  registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(2));
  read_all(registry);
  const std::string text = Site(registry).answer({"/metrics", {}}).body;
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find("\nadarun_rank_step{", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, 512U);
  EXPECT_NE(text.find("adarun_rank_step{run=\"a\",rank=\"598\",node=\"node\uFFFD\"} 5\n"), std::string::npos);
  EXPECT_NE(text.find("adarun_rank_last_step_timestamp_seconds{run=\"a\",rank=\"598\""), std::string::npos);
}

TEST_F(ShownSite, TellsPrometheusHowManyRanksAreBehindAndSilent) {
  for (int rank = 0; rank < 3; ++rank) {
    std::string text;
    for (int step = 1; step <= (rank == 2 ? 5 : 40); ++step)
      text += "epoch: 1 step: " + std::to_string(step) + ", loss is 1\n";
    scratch.write("silent/worker_" + std::to_string(rank) + ".log", text);
  }
  RunRegistry silent(source(), {"silent"});
  read_all(silent);
  const std::string text = Site(silent).answer({"/metrics", {}}).body;
  EXPECT_NE(text.find("adarun_ranks_behind{run=\"silent\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("adarun_ranks_silent{run=\"silent\"} 1\n"), std::string::npos) << text;
}

TEST_F(ShownSite, SaysWhyLogsCannotBeReadAndGoesOnOnceTheyCan) {
  std::filesystem::rename(scratch.path() / "a", scratch.path() / "away");
  auto later = [now = RunRegistry::Clock::now()]() mutable { return now += std::chrono::seconds(2); };
  registry.poll(later());
  const json gone = ask(registry, "/api/run", {{"id", "a"}});
  EXPECT_NE(gone["trouble"].get<std::string>().find("a: not there"), std::string::npos) << gone["trouble"];
  EXPECT_EQ(gone["position"], 5);
  std::filesystem::rename(scratch.path() / "away", scratch.path() / "a");
  scratch.append("a/worker_0.log", "epoch: 1 step: 6, loss is 1\n");
  registry.poll(later());
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["trouble"], "");
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["position"], 6);
}

TEST_F(ShownSite, FollowsTheStatesOfRanks) {
  const std::uint64_t before = registry.version();
  facts.ranks[0] = ProcessState::running;
  registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(2));
  EXPECT_GT(registry.version(), before);
  const auto states = [this] {
    std::map<int, std::string> found;
    const json run = ask(registry, "/api/run", {{"id", "a"}});
    for (const json& row : run["rows"]) found[row["rank"]] = row["state"];
    return found;
  };
  EXPECT_EQ(states()[0], "running");
  facts.ranks[0] = ProcessState::lost;
  registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(4));
  EXPECT_EQ(states()[0], "lost");
}

TEST_F(ShownSite, TellsThePaceOfWhatRunsOnly) {
  for (int step = 6; step <= 9; ++step) {
    scratch.append("a/worker_0.log", "epoch: 1 step: " + std::to_string(step) + ", loss is 1\n");
    registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(step));
  }
  EXPECT_TRUE(ask(registry, "/api/run", {{"id", "a"}})["steps_per_s"].is_number());
  facts.state = "failed";
  registry.poll(RunRegistry::Clock::now() + std::chrono::seconds(12));
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["steps_per_s"], nullptr);
}

TEST_F(ShownSite, WakesThoseWhoWait) {
  const std::uint64_t seen = registry.version();
  const auto soon = [] { return RunRegistry::Clock::now() + std::chrono::milliseconds(1); };
  EXPECT_EQ(registry.wait_beyond(seen, soon()), seen);
  scratch.append("a/worker_0.log", "epoch: 1 step: 6, loss is nan\n");
  registry.poll(RunRegistry::Clock::now());
  EXPECT_GT(*registry.wait_beyond(seen, RunRegistry::Clock::now() + std::chrono::seconds(60)), seen);
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}})["middle"][5], nullptr);
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}})["bad"][5], 1);
  registry.close();
  EXPECT_FALSE(registry.wait_beyond(~std::uint64_t{0}, RunRegistry::Clock::now() + std::chrono::seconds(60)));
}

TEST_F(SiteTest, ShowsLossesOfValidationsAsACurveBesideTheLoss) {
  write_run("a");
  scratch.write("b/worker_0.log", "step 1: train loss 4, val loss 5\nstep 9: train loss 2, val loss 3\n");
  RunRegistry registry(source(), {"a", "b"});
  read_all(registry);
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["quantities"], json::array());
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "b"}})["quantities"], json::array({"validation.loss"}));
  const json chart = ask(registry, "/api/chart", {{"id", "b"}, {"quantity", "validation.loss"}});
  EXPECT_EQ(chart["x"], json::array({1, 9}));
  EXPECT_EQ(chart["middle"], json::array({5, 3}));
  const std::string metrics = Site(registry).answer({"/metrics", {}}).body;
  EXPECT_NE(metrics.find("adarun_validation_loss{run=\"b\"} 3\n"), std::string::npos) << metrics;
  EXPECT_EQ(metrics.find("adarun_validation_loss{run=\"a\"}"), std::string::npos);
}

struct AttemptsTest : SiteTest {
  AttemptsTest() {
    write_attempt("first", 1, 4, 2);
    write_attempt("a", 3, 5, 1);
    facts = {"running", 0, 1, "train", {{0, ProcessState::running}}, {}, "first", 2};
  }

  std::vector<EarlierRun> earlier{{"first", scratch.path() / "first", 2, "node2 joins"}};

  JobSource source_of_attempts() {
    JobSource of_attempts = source();
    of_attempts.open = [this](const std::string& id) {
      auto run = std::make_unique<WatchedRun>(std::vector{scratch.path() / id}, "");
      run->read_first(earlier);
      return run;
    };
    return of_attempts;
  }

  static json attempt(int number, const std::string& change, int step) {
    return {{"attempt", number}, {"change", change}, {"epoch", 1},
            {"step", step},      {"position", step}, {"seconds", nullptr}};
  }
};

TEST_F(AttemptsTest, AreOneCurve) {
  RunRegistry registry(source_of_attempts(), {"a"});
  read_all(registry);
  const json run = ask(registry, "/api/run", {{"id", "a"}});
  EXPECT_EQ(run["attempts"], json::array({attempt(2, "node2 joins", 3)}));
  EXPECT_EQ(run["rows"][0]["state"], "running");
  const json curve = ask(registry, "/api/chart", {{"id", "a"}});
  EXPECT_EQ(curve["x"], (json{1, 2, 3, 4, 5}));
  EXPECT_EQ(curve["middle"], (json{2, 2, 1, 1, 1}));
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}, {"rank", "0"}}), curve);
  const auto losses_at = [&registry](const char* x) {
    return ask(registry, "/api/at", {{"id", "a"}, {"axis", "step"}, {"x", x}})["losses"];
  };
  EXPECT_EQ(losses_at("2"), json{2});
  EXPECT_EQ(losses_at("4"), json{1});
}

TEST_F(AttemptsTest, MayHaveLogsThatAreGone) {
  std::filesystem::remove_all(scratch.path() / "first");
  RunRegistry registry(source_of_attempts(), {"a"});
  read_all(registry);
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["attempts"],
            json::array({attempt(2, "node2 joins", 3)}));
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}})["x"], (json{3, 4, 5}));
}

TEST_F(AttemptsTest, MayHaveALogThatCannotBeRead) {
  std::filesystem::rename(scratch.path() / "first/worker_0.log", scratch.path() / "first/worker_1.log");
  scratch.write("first/worker_0.log.gz", "not packed");
  RunRegistry registry(source_of_attempts(), {"a"});
  read_all(registry);
  EXPECT_EQ(ask(registry, "/api/chart", {{"id", "a"}})["x"], (json{1, 2, 3, 4, 5}));
}

TEST_F(AttemptsTest, GoOnWhenTheNextOneHasTheFolder) {
  RunRegistry registry(source_of_attempts(), {"a"});
  RunRegistry::Clock::time_point now = RunRegistry::Clock::now();
  const auto poll_for_seconds = [&registry, &now](int seconds) {
    for (int i = 0; i < 100; ++i) registry.poll(now += std::chrono::milliseconds(10 * seconds));
  };
  poll_for_seconds(2);
  std::filesystem::rename(scratch.path() / "a", scratch.path() / "second");
  const JobFacts before = std::exchange(facts, {});  // job.json is not there yet.
  poll_for_seconds(2);
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["state"], "running");
  write_attempt("a", 4, 6, 0.5);
  earlier.push_back({"second", scratch.path() / "second", 3, "restart"});
  facts = before;
  facts.attempt = 3;
  poll_for_seconds(3);
  EXPECT_EQ(ask(registry, "/api/run", {{"id", "a"}})["attempts"],
            json::array({attempt(2, "node2 joins", 3), attempt(3, "restart", 4)}));
  const json curve = ask(registry, "/api/chart", {{"id", "a"}});
  EXPECT_EQ(curve["x"], (json{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(curve["middle"], (json{2, 2, 1, 0.5, 0.5, 0.5}));
}

TEST_F(AttemptsTest, TakeTheirPrintedTimesFromTheirOwnSteps) {
  const std::string end = "Train epoch time: 50.000 ms, per step time: 10.000 ms\n";
  scratch.write("first/worker_0.log", "epoch: 1 step: 4, loss is 2\n" + end);
  scratch.write("a/worker_0.log", "epoch: 1 step: 3, loss is 1\nepoch: 1 step: 5, loss is 1\n" + end);
  RunRegistry registry(source_of_attempts(), {"a"});
  read_all(registry);
  const json run = ask(registry, "/api/run", {{"id", "a"}});
  double steps = 0;
  for (const json& bar : run["step_times"]["bars"]) steps += bar[2].get<double>();
  EXPECT_EQ(steps, 4 + 3);
}

TEST_F(AttemptsTest, HaveWhatAdasumSaysBesideTheirLosses) {
  const auto lines_of = [](int epoch, int steps) {
    std::string text;
    for (int step = 1; step <= steps; ++step) {
      const std::string at = "epoch " + std::to_string(epoch) + " step " + std::to_string(step);
      text += "epoch: " + std::to_string(epoch) + " step: " + std::to_string(step) + ", loss is 1\n";
      text += "adasum: " + at + ", orthogonality 0.132 (0.073 conv1.bias - 0.204 fc1.weight), cosine 0.424\n";
    }
    return text;
  };
  scratch.write("first/worker_0.log", lines_of(1, 4) + lines_of(2, 4));
  scratch.write("a/worker_0.log", lines_of(3, 2));
  WatchedRun run({scratch.path() / "a"}, "");
  run.read_first(earlier);
  run.drain();
  const std::vector<QuantityPoint>* cosines = run.quantities().find("adasum.cosine");
  ASSERT_NE(cosines, nullptr);
  std::vector<std::uint64_t> positions;
  for (const QuantityPoint& point : *cosines) positions.push_back(point.position);
  EXPECT_EQ(positions, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST_F(AttemptsTest, HaveMetricsInTheFolderOfEach) {
  const auto metrics = [](int epoch, int step, double value) {
    return json{{"epoch", epoch}, {"step", step}, {"rate", value}}.dump() + "\n";
  };
  scratch.write("first/metrics.jsonl", metrics(1, 1, 5) + metrics(1, 4, 5));
  scratch.write("a/metrics.jsonl", metrics(1, 3, 7) + metrics(1, 5, 7));
  WatchedRun run({scratch.path() / "a"}, scratch.path() / "a/metrics.jsonl");
  run.read_first(earlier);
  run.drain();
  const std::vector<QuantityPoint>* rates = run.quantities().find("rate");
  ASSERT_NE(rates, nullptr);
  EXPECT_EQ(*rates, (std::vector<QuantityPoint>{{1, 5, 5, 5}, {3, 7, 7, 7}, {5, 7, 7, 7}}));
}

}  // namespace
}  // namespace adarun::monitor::web
