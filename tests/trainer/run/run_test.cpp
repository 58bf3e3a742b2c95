// SPDX-License-Identifier: Apache-2.0
#include "trainer/run/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "adasum/communicators/thread_communicator.h"
#include "tests/scratch_folder.h"
#include "trainer/base/collective.h"
#include "trainer/base/error.h"
#include "trainer/data/datasets/digits.h"
#include "trainer/data/images/jpeg.h"
#include "trainer/data_tools/write.h"
#include "trainer/models/models.h"
#include "trainer/run/make_learner.h"
#include "trainer/run/train.h"

namespace adarun::trainer {
namespace {

std::vector<std::string> log_of(const TrainerOptions& options) {
  std::vector<std::string> lines;
  SingleProcessCommunicator alone;
  run(options, {}, alone, [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

TrainerOptions short_run() {
  TrainerOptions options;
  options.batch_size = 16;
  options.max_steps = 12;
  return options;
}

TEST(Run, PrintsTheLogOfATraining) {
  TrainerOptions options = short_run();
  options.evaluate = true;
  const std::vector<std::string> lines = log_of(options);
  const std::string number = R"(\d+\.\d+(e-\d+)?)";
  const std::string patterns[] = {
      "rank 0 of 1: lenet5 on digits, gradients not combined",
      R"(momentum: lr 0\.02, momentum 0\.9, batch 16 per rank)",
      "seed: 1",
      "weights: checksum 0x[0-9a-f]{16} at start",
      "============== Starting Training ==============",
      "epoch: 1 step: 1, loss is " + number,
      "epoch: 1 step: 10, loss is " + number,
      "epoch: 1 step: 12, loss is " + number,
      R"(Train epoch time: \d+\.\d{3} ms, per step time: \d+\.\d{3} ms)",
      R"(throughput: \d+ images/s)",
      R"(Eval result: epoch 1, metrics: \{'accuracy': )" + number + R"(\})",
      "weights: checksum 0x[0-9a-f]{16} at end",
      R"(accuracy: [01]\.\d{4})",
  };
  ASSERT_EQ(lines.size(), std::size(patterns));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(std::regex_match(lines[i], std::regex(patterns[i])))
        << lines[i] << "\nis not " << patterns[i];
  }
}

TEST(Run, MeasuresAccuracyWithinAnEpochToo) {
  TrainerOptions options = short_run();
  options.evaluate = true;
  options.evaluate_steps = 5;
  std::vector<std::string> lines = log_of(options);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("Eval result: "); });
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].starts_with("Eval result: epoch 1 step 5, metrics: {'accuracy': ")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("Eval result: epoch 1 step 10, ")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("Eval result: epoch 1, ")) << lines[2];
}

TEST(Run, MeasuresTheAccuracyOfAFinishedRunThatIsResumed) {
  const test::ScratchFolder folder;
  TrainerOptions options = short_run();
  options.evaluate = true;
  options.checkpoint_dir = folder.path();
  options.checkpoint_steps = 12;
  const std::string accuracy = log_of(options).back();
  options.resume = true;
  EXPECT_EQ(log_of(options).back(), accuracy);
  EXPECT_NE(accuracy, "accuracy: 0.0000");
}

/// What rank 0 of four ranks that combine by AdaSum prints last.
std::string last_line_of_four(const TrainerOptions& options) {
  std::string last;
  adasum::run_ranks(4, [&](adasum::Communicator& communicator) {
    run(options, {Reduce::adasum, 1}, communicator, [&](const std::string& line) {
      if (communicator.rank() == 0) last = line;
    });
  });
  return last;
}

TEST(Run, MeasuresByOneRankWhatSeveralHaveLearned) {
  const test::ScratchFolder folder;
  TrainerOptions options = short_run();
  options.model = "resnet20";
  options.image_size = 8;
  options.hold_out = 200;
  options.evaluate = true;
  options.checkpoint_dir = folder.path();
  const std::string accuracy = last_line_of_four(options);
  options.resume = true;
  EXPECT_EQ(log_of(options).back(), accuracy);
  EXPECT_NE(accuracy, "accuracy: 0.0000");
}

/// The lines about checkpoints.
std::vector<std::string> checkpoints_of(const TrainerOptions& options) {
  std::vector<std::string> lines = log_of(options);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("checkpoint: "); });
  return lines;
}

TEST(Run, WritesACheckpointOfItsLastState) {
  for (const int steps : {0, 6, 7}) {
    const test::ScratchFolder folder;
    TrainerOptions options = short_run();
    options.checkpoint_dir = folder.path();
    options.checkpoint_steps = steps;
    std::vector<std::string> wanted = {"checkpoint: epoch 1 step 12"};
    if (steps > 0) wanted.insert(wanted.begin(), "checkpoint: epoch 1 step " + std::to_string(steps));
    EXPECT_EQ(checkpoints_of(options), wanted);
    options.resume = true;
    EXPECT_TRUE(checkpoints_of(options).empty()) << "nothing is left to do";
  }
}

/// What rank 1 of two that combine nothing has in its checkpoint.
std::string state_of_own_model(bool evaluates) {
  const test::ScratchFolder folder;
  TrainerOptions options;
  options.model = "resnet20";
  options.image_size = 8;
  options.batch_size = 4;
  options.max_steps = 2;
  options.hold_out = 16;
  options.evaluate = evaluates;
  options.checkpoint_dir = folder.path();
  options.job_id = "r-1";
  adasum::run_ranks(2, [&](adasum::Communicator& communicator) {
    run(options, {Reduce::none, 1}, communicator, [](const std::string&) {});
  });
  return test::content_of(folder.path() / "step_000000000002.rank_1");
}

TEST(Run, LeavesEachRankItsStatisticsWhereItMeasuresAndRanksCombineNothing) {
  const std::string measured = state_of_own_model(true);
  EXPECT_FALSE(measured.empty());
  EXPECT_TRUE(measured == state_of_own_model(false));
}

TEST(Run, MeasuresTheAccuracyOfAnEpochAtWhoseEndItIsResumed) {
  const test::ScratchFolder folder;
  for (const auto& [part, count] : {std::pair{DatasetPart::train, 64U}, std::pair{DatasetPart::test, 16U}})
    data_tools::write(Digits(part, 1), count, "idx", folder.path(), part);
  TrainerOptions options;
  options.dataset = "mnist";
  options.data_path = folder.path();
  options.batch_size = 16;
  options.epochs = 1;
  options.evaluate = true;
  options.checkpoint_dir = folder.path() / "kept";
  options.checkpoint_steps = 4;
  const auto of_first_epoch = [](const std::vector<std::string>& lines) {
    const auto found = std::ranges::find_if(
        lines, [](const std::string& line) { return line.starts_with("Eval result: epoch 1, "); });
    return found == lines.end() ? "none" : *found;
  };
  const std::string wanted = of_first_epoch(log_of(options));
  EXPECT_NE(wanted, "none");
  options.resume = true;
  options.epochs = 2;
  EXPECT_EQ(of_first_epoch(log_of(options)), wanted);
}

TEST(Run, PrintsNotesAsALineWhateverNamesFilesHave) {
  const test::ScratchFolder folder;
  for (const char* name : {"a", "b"}) {
    const auto of_class = folder.path() / "train" / name;
    std::filesystem::create_directories(of_class);
    write_jpeg(Image::black(8, 8, 3), 90, of_class / "1.jpeg");
  }
  folder.write("train/a/x\nepoch: 1 step: 1, loss is 0.1", "");
  TrainerOptions options;
  options.dataset = "imagefolder";
  options.data_path = folder.path();
  options.batch_size = 1;
  options.max_steps = 1;
  const std::vector<std::string> lines = log_of(options);
  const auto note = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("left out: 1 file "); });
  ASSERT_NE(note, lines.end());
  EXPECT_TRUE(note->ends_with("/train/a/x epoch: 1 step: 1, loss is 0.1")) << *note;
}

std::vector<std::string> checksums(const TrainerOptions& options) {
  std::vector<std::string> lines = log_of(options);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("weights: "); });
  return lines;
}

TEST(Run, IsReproducibleFromItsSeed) {
  const std::vector<std::string> once = checksums(short_run());
  ASSERT_EQ(once.size(), 2U);
  EXPECT_EQ(checksums(short_run()), once);
  TrainerOptions other = short_run();
  other.seed = 2;
  EXPECT_NE(checksums(other)[0], once[0]);
  EXPECT_NE(checksums(other)[1], once[1]);
}

void expect_to_learn(TrainerOptions options) {
  options.max_steps = 120;
  options.log_every = 120;
  std::vector<std::string> lines = log_of(options);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("epoch: "); });
  ASSERT_EQ(lines.size(), 2U);
  const auto loss = [](const std::string& line) { return std::stod(line.substr(line.rfind(' '))); };
  EXPECT_LT(loss(lines[1]), loss(lines[0]) / 2) << lines[0] << "\n" << lines[1];
}

TEST(Run, BringsTheLossDown) {
  expect_to_learn({});
}

TEST(Run, BringsTheLossDownInBfloat16) {
  TrainerOptions options;
  options.precision = Precision::bfloat16;
  expect_to_learn(options);
}

TEST(Run, SaysThatItLearnsInBfloat16) {
  TrainerOptions options = short_run();
  options.max_steps = 1;
  options.precision = Precision::bfloat16;
  EXPECT_EQ(log_of(options)[1], "momentum: lr 0.02, momentum 0.9, batch 16 per rank, layers in bfloat16");
}

TEST(Run, EndsAtALossThatIsNotFinite) {
  TrainerOptions options = short_run();
  options.optimizer.learning_rate = 1e6F;
  std::vector<std::string> lines;
  SingleProcessCommunicator alone;
  EXPECT_THROW(run(options, {}, alone, [&](const std::string& line) { lines.push_back(line); }), Error);
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(
      std::regex_match(lines.back(), std::regex("In epoch: 1 step: \\d+, loss is NAN or INF, training "
                                                "process cannot continue, terminating training\\.")))
      << lines.back();
}

/// Eight black images.
class Eight : public GrayscaleDataset {
 public:
  std::size_t size() const override { return 8; }
  int label(std::size_t index) const override { return static_cast<int>(index); }
  void image(std::size_t /*index*/, std::span<std::uint8_t> pixels) const override {
    std::ranges::fill(pixels, std::uint8_t{0});
  }
};

/// Records each call.
class Diary : public Callback {
 public:
  void epoch_begin(int epoch) override { text += "begin " + std::to_string(epoch) + "\n"; }
  void step_end(const Progress& at) override {
    text += std::to_string(at.epoch) + "/" + std::to_string(at.step) + "\n";
  }
  void epoch_end(const Progress& last) override { text += "end " + std::to_string(last.step) + "\n"; }
  std::string text;
};

TEST(Train, TellsOfEachEpochAndStopsAtMaxSteps) {
  const Eight dataset;
  const Model model = model_named("lenet5", {1, 32, 10});
  Weights weights(model, 1);
  SingleProcessCommunicator alone;
  const ReduceContext context(alone, {});
  Diary diary;
  TrainerOptions options;
  options.epochs = 9;
  options.batch_size = 3;  // two steps in an epoch, two images left over
  options.max_steps = 3;
  Learner learner = make_learner(model, weights, context, options);
  train({model, weights, learner, dataset, alone, {&diary}}, options);
  EXPECT_EQ(diary.text, "begin 1\n1/1\n1/2\nend 2\nbegin 2\n2/1\nend 1\n");
}

}  // namespace
}  // namespace adarun::trainer
