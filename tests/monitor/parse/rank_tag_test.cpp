// SPDX-License-Identifier: Apache-2.0
#include "monitor/parse/rank_tag.h"

#include <gtest/gtest.h>

#include <string>

namespace adarun::monitor {
namespace {

constexpr auto no_number = std::nullopt;
using Kind = RankTag::Kind;

struct Tagged {
  std::string tag;
  Kind kind;
  std::string label;
  std::optional<std::uint32_t> number;
};

const Tagged tagged[] = {
    {"[1,3]<stdout>:", Kind::stream, "1,3", 3},
    {"[1,3]<stderr>:", Kind::stream, "1,3", 3},
    {"[1,0]<stddiag>: ", Kind::stream, "1,0", 0},
    {"[prterun-node1-4242@1,12]<stdout>: ", Kind::stream, "prterun-node1-4242@1,12", 12},
    {"[1,mpirank:0,algo-1]<stdout>:", Kind::stream, "1,mpirank:0,algo-1", 0},
    {"Thu Feb 20 10:00:00 2020[1,3]<stdout>:", Kind::stream, "1,3", 3},
    {"[2026-11-21 10:00:00][3]<stderr>:", Kind::stream, "3", 3},
    {"[1,3][node1:4242]<stdout>:", Kind::stream, "1,3", 3},
    {"log_output/worker_3.log:", Kind::file, "log_output/worker_3.log", 3},
    {"worker_3.log:17:", Kind::file, "worker_3.log", 3},
    {"attempt_0/5/stdout.log:", Kind::file, "attempt_0/5/stdout.log", 5},
    {"0: ", Kind::number, "0", 0},
    {"  7: ", Kind::number, "7", 7},
    {"1023: ", Kind::number, "1023", 1023},
    {"[0] ", Kind::bracket, "0", 0},
    {"[15]: ", Kind::bracket, "15", 15},
    {"[2 actor] ", Kind::bracket, "2 actor", 2},
    {"[0-3,7] ", Kind::bracket, "0-3,7", 0},
    {"[attempt 1:3] ", Kind::word, "3", 3},
    {"[attempt 12:3 actor] ", Kind::word, "3", 3},
    {"[rank3]:", Kind::word, "rank3", 3},
    {"[rank3]: ", Kind::word, "rank3", 3},
    {"[default3]:", Kind::word, "default3", 3},
    {"[trainer12]:", Kind::word, "trainer12", 12},
    {"[myrole4]:", Kind::host, "myrole4", 4},
    {"[Rank 3] ", Kind::word, "Rank 3", 3},
    {"[rank-3] ", Kind::word, "rank-3", 3},
    {"[rank=3] ", Kind::word, "rank=3", 3},
    {"[cuda:1] ", Kind::word, "cuda:1", 1},
    {"[R3] ", Kind::host, "R3", 3},
    {"0: [RANK 3] ", Kind::word, "0: [RANK 3", 3},
    {"node1: [rank3]: ", Kind::word, "node1: [rank3", 3},
    {"(Worker pid=42) [rank3] ", Kind::process, "pid=42", 3},
    {"[gpu1] ", Kind::word, "gpu1", 1},
    {"[GPU 1] ", Kind::word, "GPU 1", 1},
    {"[GPU:1] ", Kind::word, "GPU:1", 1},
    {"rank 3: ", Kind::word, "rank 3", 3},
    {"Rank3: ", Kind::word, "Rank3", 3},
    {"worker2: ", Kind::word, "worker2", 2},
    {"worker-3  | ", Kind::host, "worker-3", 3},
    {"worker3-1  | ", Kind::host, "worker3-1", 3},
    {"worker_3_1  | ", Kind::host, "worker_3_1", 3},
    {"node1: ", Kind::host, "node1", 1},
    {"gpu-03: ", Kind::word, "gpu-03", 3},
    {"node12.cluster.example: ", Kind::host, "node12.cluster.example", 12},
    {"ip-10-0-0-17: ", Kind::host, "ip-10-0-0-17", 17},
    {"10.0.0.3: ", Kind::host, "10.0.0.3", 3},
    {"(RayTrainWorker pid=4242, ip=10.0.0.1) ", Kind::process, "pid=4242, ip=10.0.0.1", no_number},
    {"\x1b[36m(TaskRunner pid=4242)\x1b[0m ", Kind::process, "pid=4242", no_number},
    {"[pod/train-worker-3/main] ", Kind::process, "pod/train-worker-3/main", 3},
    {"[pod/train-3-xd7k2/main] ", Kind::process, "pod/train-3-xd7k2/main", 3},
    {"[pod/llm-train-0-3-dx2k9/main] ", Kind::process, "pod/llm-train-0-3-dx2k9/main", 3},
    {"[pod/llm-train-1-3-dx2k9/main] ", Kind::process, "pod/llm-train-1-3-dx2k9/main", no_number},
    {"[pod/train-7d9f8b6c5f-xd7k2/main9] ", Kind::process, "pod/train-7d9f8b6c5f-xd7k2/main9", no_number},
};

TEST(RankTag, IsWhatALauncherPrintsBeforeALine) {
  for (const Tagged& each : tagged) {
    const std::string line = each.tag + "epoch: 1 step: 2, loss is 3";
    const auto tag = rank_tag_of(line);
    ASSERT_TRUE(tag) << line;
    EXPECT_EQ(tag->kind, each.kind) << line;
    EXPECT_EQ(tag->label, each.label);
    EXPECT_EQ(tag->number, each.number) << line;
    EXPECT_EQ(tag->length, each.tag.size()) << line;
  }
}

TEST(RankTag, MayStandInTheText) {
  const std::pair<const char*, const char*> texts[] = {
      {"2026-11-21 10:00:00 [rank 3] epoch: 1 step: 2, loss is 3", "3"},
      {"[2026-11-21 10:00:00,123][rank3] loss: 2", "3"},
      {"Epoch: 0, Step: 7, Rank: 12, loss = 2.5", "12"},
      {"[INFO] rank=0 step=3 loss=2.5", "0"},
      {"I1121 train.py:7] Global rank 5: loss 2.5", "5"},
      {"step 1 loss 2 rank 3", "3"},
      {"step 1, loss: 2.5 (rank 3)", "3"},
      {"{\"rank\": 3, \"step\": 1, \"loss\": 2.5}", "3"},
      {"{\"step\": 1, \"loss\": 2.5, \"local_rank\": 1, \"global_rank\": 5}", "5"},
      {"local_rank=1 step=1 loss=2.5", "1"},
      {"local_rank=1 step=1 loss=2.5 rank=9", "9"},
      {"[2026-11-21 10:00:00] global_rank: 3 | step: 1 | loss: 2.5", "3"},
      {"INFO:rank_3:epoch: 1 step: 1, loss is 2.5", "3"},
      {"| Training Device=xla:0/3 Epoch=1 Step=20 Loss=2.5", "0/3"},
  };
  for (const auto& [line, label] : texts) {
    const auto tag = rank_tag_of(line);
    ASSERT_TRUE(tag) << line;
    EXPECT_EQ(tag->kind, Kind::text);
    EXPECT_EQ(tag->label, label) << line;
    EXPECT_EQ(tag->length, 0U);
  }
  for (const char* line :
       {"local_rank=-1 loss 2", "[node_rank=1, local_rank=1] loss 2", "step 1 mean rank: 12, loss 2",
        "lora rank: 8, loss 2", "lora_rank: 8", "rank 2.5 loss 2", "rank3x loss 2", "frank 3 loss 2",
        "ranks 3 loss 2", "rank", "x rank"})
    EXPECT_FALSE(rank_tag_of(line)) << line;
}

TEST(RankTag, MayBeAHeading) {
  const std::pair<const char*, const char*> headings[] = {
      {"==> log_output/worker_3.log <==\n", "log_output/worker_3.log"},
      {"==> 3.out <==\r", "3.out"},
      {"==> log_output/worker_3.log (role actor) <==", "log_output/worker_3.log"},
      {"==> attempt 2: log_output/worker_3.log <==", "worker_3.log"},
      {"==> job-7: log_output/worker_3.log <==", "job-7: log_output/worker_3.log"},
      {"==> attempt_0/3/stdout.log <==", "attempt_0/3/stdout.log"},
  };
  for (const auto& [line, label] : headings) {
    const auto tag = heading_tag_of(line);
    ASSERT_TRUE(tag) << line;
    EXPECT_EQ(tag->label, label);
    EXPECT_EQ(tag->number, 3U);
  }
  ASSERT_TRUE(heading_tag_of("==> out/train.log <==\n"));
  EXPECT_FALSE(heading_tag_of("==> out/train.log <==\n")->number);
  for (const char* line : {"", "==> see a.log <==", "==> <==", "==>", "==> Epoch 3 <==", "==> worker_3.log",
                           " ==> worker_3.log <==", "==> conf/a3.yaml <=="})
    EXPECT_FALSE(heading_tag_of(line)) << line;
}

TEST(RankTag, IsNoOtherBeginning) {
  for (const char* line : {"",
                           "[",
                           "]",
                           ":",
                           ": ",
                           "[]",
                           "[] x",
                           "epoch: 1 step: 2, loss is 3",
                           "[1,   2000] loss: 2.3",
                           "[epoch 1, step 100] loss: 2.3",
                           "[Epoch 3] loss: 2.3",
                           "[epoch3]: loss",
                           "[train:87]: step 1, loss 2.3",
                           "[validate:112]: val_loss",
                           "[trainer:88] step",
                           "[Update 100]: loss",
                           "[step100]: loss",
                           "epoch 3: loss 2",
                           "step100: loss 2",
                           "loss1: 0.5",
                           "12:30:01 loss 2",
                           "2026-11-21 10:00:00 loss",
                           "[2026-11-21 10:00:00] loss",
                           "[INFO] loss",
                           "INFO: loss",
                           "[1/90] loss",
                           "[attempt 3] loss",
                           "[attempt 1:] loss",
                           "[attempt 1:3x] loss",
                           "train.log: loss 2",
                           "train.log:loss 2",
                           "main.py:12: loss",
                           "2020[1,0]<stdin>: loss",
                           "[0/5][0/1583] Loss_D: 1",
                           "100:12",
                           "[0-3]: loss",
                           "[-3] loss",
                           "[0--3] loss",
                           "[0-] loss",
                           "[2026-11-21] loss",
                           "[05-12] loss",
                           "[3-1] loss",
                           "[1,] loss",
                           "[1,,2] loss",
                           "99999999: loss",
                           "[99999999999999999999] loss",
                           "Train: 0 [  50/1251 (  4%)]",
                           "fold1: loss",
                           "\x1b[32m",
                           "{'loss': 2.3}",
                           "(x) loss",
                           "( pid=",
                           "a.b.c: loss",
                           "1.2.3: loss",
                           "[a3] loss",
                           "Epoch1 | loss 2",
                           "a1 loss | 2",
                           "[batch=1/100]:",
                           "211/1875 [==>...] - loss: 2"})
    EXPECT_FALSE(rank_tag_of(line)) << line;
}

TEST(RankTag, MayBeAListOfRanks) {
  const auto ranks = [](const char* list, std::size_t most) {
    std::string text;
    for_each_rank_in(list, most, [&](std::uint32_t rank) { text += std::to_string(rank) + " "; });
    return text;
  };
  EXPECT_EQ(ranks("0-3,7", 100), "0 1 2 3 7 ");
  EXPECT_EQ(ranks("5", 100), "5 ");
  EXPECT_EQ(ranks("3-1,2", 100), "2 ");
  EXPECT_EQ(ranks("0-1048575", 3), "0 1 2 ");
  EXPECT_EQ(ranks("9999999,,-,1", 3), "1 ");
}

}  // namespace
}  // namespace adarun::monitor
