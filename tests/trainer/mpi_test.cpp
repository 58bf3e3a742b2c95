// SPDX-License-Identifier: Apache-2.0
// The trainer with MPI processes as ranks. Run by mpirun; every rank runs every test.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <regex>

#include "tests/adasum/mpi_main.h"
#include "trainer/reducers/bucketed_adasum.h"
#include "trainer/run/run.h"

namespace adarun::trainer {
namespace {

using adasum::world;

/// The lines that this rank prints.
std::vector<std::string> log_of(const TrainerOptions& options, const Reduction& reduction) {
  std::vector<std::string> lines;
  run(options, reduction, *world, [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

/// The line of each rank, at rank 0 and everywhere else, that begins with `begin` and ends with `end`.
std::vector<std::string> over_ranks(const std::vector<std::string>& lines, const std::string& begin,
                                    const std::string& end) {
  constexpr std::size_t room = 120;
  std::array<char, room> mine{};
  for (const std::string& line : lines) {
    if (line.starts_with(begin) && line.ends_with(end)) line.copy(mine.data(), room - 1);
  }
  std::vector<char> all(room * static_cast<std::size_t>(world->size()));
  world->all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  std::vector<std::string> result;
  for (std::size_t at = 0; at < all.size(); at += room) result.emplace_back(all.data() + at);
  return result;
}

std::size_t distinct(std::vector<std::string> lines) {
  EXPECT_EQ(std::ranges::count(lines, ""), 0) << "a rank did not print it";
  std::ranges::sort(lines);
  return static_cast<std::size_t>(std::unique(lines.begin(), lines.end()) - lines.begin());
}

TrainerOptions few_steps() {
  TrainerOptions options;
  options.max_steps = 4;
  return options;
}

TEST(Checksums, AreEqualOnAllRanksWhereGradientsAreCombined) {
  for (const Reduce reduce : {Reduce::adasum, Reduce::mean, Reduce::sum}) {
    const auto lines = log_of(few_steps(), {reduce, 1});
    const auto start = over_ranks(lines, "weights: ", "at start");
    const auto end = over_ranks(lines, "weights: ", "at end");
    EXPECT_EQ(distinct(start), 1U);
    EXPECT_EQ(distinct(end), 1U) << static_cast<int>(reduce);
    EXPECT_NE(start[0].substr(0, 36), end[0].substr(0, 36)) << "nothing was learned";
  }
}

TEST(Checksums, AreEqualOnAllRanksInBfloat16) {
  for (const AdasumOn adasum_on : {AdasumOn::gradient, AdasumOn::delta}) {
    TrainerOptions options = few_steps();
    options.adasum_on = adasum_on;
    const auto in_float = over_ranks(log_of(options, {Reduce::adasum, 1}), "weights: ", "at end");
    options.precision = Precision::bfloat16;
    const auto end = over_ranks(log_of(options, {Reduce::adasum, 1}), "weights: ", "at end");
    EXPECT_EQ(distinct(end), 1U);
    EXPECT_NE(end[0], in_float[0]) << "nothing was rounded";
  }
}

TEST(Checksums, DifferAtTheEndWhereGradientsAreNotCombined) {
  const auto lines = log_of(few_steps(), {Reduce::none, 1});
  EXPECT_EQ(distinct(over_ranks(lines, "weights: ", "at start")), 1U);
  EXPECT_EQ(distinct(over_ranks(lines, "weights: ", "at end")), static_cast<std::size_t>(world->size()));
}

TEST(Accuracy, IsOneFigureForAllRanks) {
  TrainerOptions options = few_steps();
  options.evaluate = true;
  const auto lines = log_of(options, {Reduce::none, 1});  // each rank has weights of its own
  EXPECT_EQ(distinct(over_ranks(lines, "accuracy: ", "")), 1U);
  EXPECT_EQ(distinct(over_ranks(lines, "throughput: ", " images/s")), 1U);
}

/// A folder that all ranks use and rank 0 removes.
class SharedFolder {
 public:
  SharedFolder() {
    std::array<char, 64> name{"/tmp/adarun_trainer_XXXXXX"};
    if (world->rank() == 0 && mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder";
    world->broadcast(std::as_writable_bytes(std::span(name)), 0);
    path_ = name.data();
  }
  ~SharedFolder() {
    std::array<double, 1> nothing{};
    world->sum(std::span<double>(nothing));
    std::error_code ignored;
    if (world->rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Diagnostics, AreToldOfEveryLayerByTheFirstRank) {
  for (const AdasumOn adasum_on : {AdasumOn::gradient, AdasumOn::delta}) {
    const SharedFolder folder;
    TrainerOptions options = few_steps();
    options.adasum_on = adasum_on;
    options.adasum_diagnostics = 2;
    options.metrics = folder.path() + "/metrics.jsonl";
    const auto lines = log_of(options, {Reduce::adasum, 1});
    const auto told = std::ranges::count_if(
        lines, [](const std::string& line) { return line.starts_with("adasum: epoch 1 step "); });
    EXPECT_EQ(told, world->rank() == 0 ? 2 : 0);
    if (world->rank() != 0) continue;
    std::ifstream metrics(options.metrics);
    const std::string text(std::istreambuf_iterator<char>(metrics), {});
    const std::regex layer(R"("fc3.bias":\{"cosine":[-0-9.e]+,"orthogonality":([0-9.e-]+),"to_sum")");
    std::smatch match;
    if (!std::regex_search(text, match, layer)) {
      ADD_FAILURE() << text;
      continue;
    }
    // Between all equal and all orthogonal.
    EXPECT_GT(std::stod(match[1]), 0.99 / world->size());
    EXPECT_LT(std::stod(match[1]), 1.01);
  }
}

/// This rank's numbers for tensors of `counts`, combined in buckets of 64 bytes or more; `early` combines
/// some of them before all gradients are ready.
std::vector<float> combined_in_buckets(const std::vector<std::int64_t>& counts,
                                       const std::function<void(BucketedAdasum&)>& early) {
  std::vector<float> data;
  for (std::int64_t i = 0; i < std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); ++i) {
    data.push_back(static_cast<float>(std::sin(0.1 * static_cast<double>((world->rank() + 1) * (i + 1)))));
  }
  adasum::Engine engine(*world, {.group_size = 1, .worlds = adasum::Worlds::any});
  BucketedAdasum reducer(engine, data, counts, {64, 2});
  early(reducer);
  EXPECT_EQ(reducer.reduce(), std::nullopt);
  return data;
}

TEST(Buckets, GiveTheSameBitsWheneverTheyAreCombined) {
  const std::vector<std::int64_t> counts = {30, 1, 0, 40, 7, 25};
  const std::vector<float> after = combined_in_buckets(counts, [](BucketedAdasum&) {});
  const auto from_the_last = [](BucketedAdasum& reducer) {
    for (std::size_t pass = 0; pass < 2; ++pass) {
      for (std::size_t t = 6; t-- > 0;) reducer.added(t);
    }
  };
  EXPECT_EQ(combined_in_buckets(counts, from_the_last), after);
  const auto some_on_some_ranks = [](BucketedAdasum& reducer) {
    for (std::size_t t = 0; t < 5; ++t) {
      for (int pass = 0; pass < 1 + world->rank() % 2; ++pass) reducer.added(t);
    }
  };
  EXPECT_EQ(combined_in_buckets(counts, some_on_some_ranks), after);
}

// Buckets divide their elements among the ranks differently from all gradients at once, so that sums in
// double are added up in another order; floats that are rounded from them differ once in millions.
TEST(Buckets, LearnWhatIsLearnedWithoutThem) {
  TrainerOptions options = few_steps();
  options.micro_batches = 2;
  options.local_steps = 3;
  options.log_every = 1;
  const auto losses = [&] {
    std::vector<std::string> lines = log_of(options, {Reduce::adasum, 1});
    EXPECT_EQ(distinct(over_ranks(lines, "weights: ", "at end")), 1U);
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("epoch: "); });
    return lines;
  };
  const auto wanted = losses();
  options.bucket_mb = 0.05;
  const auto got = losses();
  ASSERT_EQ(got.size(), wanted.size());
  const auto loss = [](const std::string& line) { return std::stod(line.substr(line.rfind(' '))); };
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(loss(got[i]), loss(wanted[i]), 1e-5) << got[i];
}

TEST(ShardedOptimizer, GivesTheBitsOfOneOptimizer) {
  for (const char* name : {"momentum", "adam", "lamb"}) {
    TrainerOptions options = few_steps();
    options.optimizer.name = name;
    const auto wanted = log_of(options, {Reduce::mean, 1});
    options.shard_optimizer = true;
    const auto got = log_of(options, {Reduce::mean, 1});
    EXPECT_EQ(over_ranks(got, "weights: ", "at end"), over_ranks(wanted, "weights: ", "at end")) << name;
  }
}

/// A run that resumes from step 3 of another must print the same as the uninterrupted run from there on.
void expect_to_go_on(TrainerOptions options, const Reduction& reduction) {
  const SharedFolder folder;
  options.max_steps = 6;
  options.log_every = 1;
  const auto whole = log_of(options, reduction);
  options.checkpoint_dir = folder.path();
  options.max_steps = 3;
  log_of(options, reduction);
  options.max_steps = 6;
  options.resume = true;
  const auto rest = log_of(options, reduction);
  const auto losses = [](std::vector<std::string> lines) {
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("epoch: "); });
    return lines;
  };
  const auto wanted = losses(whole);
  EXPECT_EQ(losses(rest), std::vector<std::string>(wanted.begin() + 3, wanted.end()));
  EXPECT_EQ(over_ranks(rest, "weights: ", "at end"), over_ranks(whole, "weights: ", "at end"));
}

TEST(Resume, ContinuesToTheBit) {
  TrainerOptions options;
  options.schedule = {"linear", 1, 0.01, 0};
  expect_to_go_on(options, {Reduce::adasum, 1});
  options.optimizer.name = "adam";
  expect_to_go_on(options, {Reduce::mean, 1});
}

TEST(Resume, ContinuesToTheBitInBfloat16) {
  TrainerOptions options;
  options.precision = Precision::bfloat16;
  expect_to_go_on(options, {Reduce::adasum, 1});
}

TEST(Resume, ContinuesToTheBitWhereEachRankHasItsOwnState) {
  TrainerOptions options;
  options.adasum_on = AdasumOn::delta;
  expect_to_go_on(options, {Reduce::adasum, 1});
  TrainerOptions sharded;
  sharded.optimizer.name = "adam";
  sharded.shard_optimizer = true;
  expect_to_go_on(sharded, {Reduce::mean, 1});
  expect_to_go_on({}, {Reduce::none, 1});
}

}  // namespace
}  // namespace adarun::trainer

int main(int argc, char** argv) {
  at::set_num_threads(1);
  return adasum::run_mpi_tests(argc, argv);
}
