// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/script/batch_kinds.h"

#include <gtest/gtest.h>

#include <utility>

#include "cli/arguments/command.h"
#include "ranktable/model/quote.h"

namespace adarun::cli {
namespace {

using Complete = void (*)(templates::Values&, const launcher::Placement&, const ScriptJob&);

launcher::Placement hosts_of_batch(const std::string& hosts) {
  LaunchOptions options;
  options.hosts = hosts;
  return place(options);
}

ScriptJob job_of_site() {
  ScriptJob job;
  job.node_count = 2;
  job.tasks_per_node = 8;
  job.program = {"./train"};
  return job;
}

templates::Values completed(Complete complete, const launcher::Placement& placement, const ScriptJob& job) {
  templates::Values values = script_values(placement, job);
  complete(values, placement, job);
  return values;
}

// The text of a list's only member; "" if it has none.
std::string text_in(const templates::Values& values, const char* list, const char* name) {
  const std::vector<templates::Values>& members = values.lists.at(list);
  return members.empty() ? std::string() : members.front().texts.at(name);
}

TEST(BatchKinds, KeepAllWordsOnOneLine) {
  ScriptJob job = job_of_site();
  job.program = {"./train", "a\n#PBS -q x", "it's"};
  job.where = {"-r", "two\nlines"};
  for (const Complete complete : {complete_sbatch, complete_pbs, complete_lsf, complete_flux}) {
    const templates::Values values = completed(complete, {}, job);
    EXPECT_EQ(values.texts.at("program"), "./train $'a\\012#PBS -q x' 'it'\\''s'");
    EXPECT_EQ(values.texts.at("where").substr(0, 19), " -r $'two\\012lines'");
  }
}

TEST(BatchKinds, AskPbsForChunks) {
  ScriptJob job = job_of_site();
  EXPECT_EQ(completed(complete_pbs, {}, job).texts.at("select"), "2:ncpus=8:mpiprocs=8");
  job.gpus_per_node = 4;
  EXPECT_EQ(completed(complete_pbs, {}, job).texts.at("select"), "2:ncpus=8:mpiprocs=8:ngpus=4");
  EXPECT_EQ(completed(complete_pbs, hosts_of_batch("a:1,b:2"), job).texts.at("select"),
            "1:host=a:ncpus=1:mpiprocs=1:ngpus=4+1:host=b:ncpus=2:mpiprocs=2:ngpus=4");
}

TEST(BatchKinds, AskLsfForAsManySlotsOnEachNodeAsTheLargestHasRanks) {
  const templates::Values values = completed(complete_lsf, hosts_of_batch("a:1,b:2"), job_of_site());
  EXPECT_EQ(values.texts.at("slots"), "4");
  EXPECT_EQ(values.texts.at("tasks_per_node"), "2");
  EXPECT_EQ(text_in(values, "nodelist", "hosts"), "a b");
}

TEST(BatchKinds, TellFluxHowManyRanksWhereNoListDoes) {
  EXPECT_EQ(completed(complete_flux, {}, job_of_site()).texts.at("where"), " --nproc-per-node 8");
  const templates::Values listed = completed(complete_flux, hosts_of_batch("a1:2,a2:2"), job_of_site());
  EXPECT_EQ(listed.texts.at("where"), "");
  EXPECT_EQ(text_in(listed, "nodelist", "hosts"), "a[1-2]");
}

TEST(BatchKinds, WriteTheLimitAsEachTakesIt) {
  ScriptJob job = job_of_site();
  job.time_limit = "1-2:30:01";
  EXPECT_EQ(text_in(completed(complete_sbatch, {}, job), "time_limit", "time"), "1-2:30:01");
  EXPECT_EQ(text_in(completed(complete_pbs, {}, job), "time_limit", "time"), "26:30:01");
  EXPECT_EQ(text_in(completed(complete_lsf, {}, job), "time_limit", "time"), "1591");
  EXPECT_EQ(text_in(completed(complete_flux, {}, job), "time_limit", "time"), "95401");
}

TEST(BatchKinds, WarnRanksOnlyWhereTheLimitIsLongEnough) {
  const auto warning = [](Complete complete, const char* limit) {
    ScriptJob job = job_of_site();
    job.time_limit = limit;
    return text_in(completed(complete, {}, job), "warning", "seconds");
  };
  EXPECT_EQ(warning(complete_lsf, ""), "");
  EXPECT_EQ(warning(complete_sbatch, ""), "120");  // The site's limit.
  for (const Complete complete : {complete_sbatch, complete_lsf}) {
    EXPECT_EQ(warning(complete, "3:59"), "");
    EXPECT_EQ(warning(complete, "4"), "120");
  }
  for (const Complete complete : {complete_pbs, complete_flux}) EXPECT_EQ(warning(complete, "4"), "");
  for (const char* none : {"0", "UNLIMITED"}) EXPECT_EQ(warning(complete_sbatch, none), "120");
}

TEST(BatchKinds, RefuseWhatQsubWouldNotRead) {
  EXPECT_THROW(completed(complete_pbs, hosts_of_batch("[fe80::1]:2"), job_of_site()), ExitError);
  // 15 bytes before them, 32 for each node, and + between them.
  EXPECT_NO_THROW(completed(complete_pbs, hosts_of_batch("gpu[100-219]:1"), job_of_site()));
  EXPECT_THROW(completed(complete_pbs, hosts_of_batch("gpu[100-220]:1"), job_of_site()), ExitError);
}

TEST(BatchKinds, RefuseNoTime) {
  ScriptJob job = job_of_site();
  job.time_limit = "0:00";
  for (const Complete complete : {complete_pbs, complete_lsf, complete_flux})
    EXPECT_THROW(completed(complete, {}, job), ExitError);
}

TEST(TimeLimit, IsReadInTheFormsOfSlurm) {
  const std::pair<const char*, long> cases[] = {
      {"0", 0},          {"90", 90 * 60},      {"1:30", 90},     {"2:00:00", 7200}, {"1-0", 24 * 3600},
      {"1-2:30", 95400}, {"1-2:30:05", 95405}, {"00:00:61", 61}, {"010", 600},      {"10000-0", 864'000'000}};
  for (const auto& [text, seconds] : cases) {
    const auto limit = parse_time_limit(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->count(), seconds) << text;
    EXPECT_EQ(check_time_limit(text), "");
  }
}

TEST(TimeLimit, IsRefusedInOthers) {
  for (const char* text : {"", "2 h", "2h", ":30", "1:", "1:2:3:4", "-1", "1-", "1-2-3", "1\n2", "1.5",
                           "UNLIMITED", "10000-1", "999999999-0", "9999999999"}) {
    EXPECT_FALSE(parse_time_limit(text)) << text;
    EXPECT_EQ(check_time_limit(text),
              ranktable::in_quotes(text) + ": wanted minutes, or a time such as 2:00:00 or 1-12:00");
  }
}

TEST(TimeLimit, MayBeNoneForSlurm) {
  for (const char* text : {"UNLIMITED", "infinite", "2:00:00"}) EXPECT_EQ(check_slurm_time_limit(text), "");
  for (const char* text : {"", "UNLIMITED 1", "never", "2h"}) EXPECT_NE(check_slurm_time_limit(text), "");
}

TEST(ClockText, HasAllHours) {
  EXPECT_EQ(clock_text(std::chrono::seconds(0)), "0:00:00");
  EXPECT_EQ(clock_text(std::chrono::seconds(95405)), "26:30:05");
}

}  // namespace

}  // namespace adarun::cli
