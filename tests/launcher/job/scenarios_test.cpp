// SPDX-License-Identifier: Apache-2.0
// Whole jobs, compared with what they did before: every message that is sent, every call of the observer,
// every deadline and the report. A change of behaviour shows in the files of transcripts/, which are written
// anew with ADARUN_WRITE_TRANSCRIPTS=1.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "base/version.h"
#include "tests/launcher/job/transcript.h"
#include "tests/launcher/plan/sample_plan.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher {
namespace {

using namespace std::chrono_literals;

Plan with(const JobOptions& options, const AttemptOptions& attempt = {}) {
  return plan_of("n[0-1]:2", options, attempt);
}

Plan plain() {
  return with({});
}

Plan with_restarts() {
  return with({.restarts = {.most = 1}});
}

Plan with_roles(const RolePolicy& of_proxy) {
  JobOptions options;
  options.roles = {{"worker", {0, 1}, {"./worker"}, {}}, {"proxy", {2, 3}, {"./proxy"}, of_proxy}};
  return with(options);
}

TEST(Scenarios, EndWell) {
  JobTranscript job(plain());
  job.start_all();
  job.join({0, 1, 2, 3});
  job.hear_from_all(protocol::Fence{{}, "node", {}});
  job.print({1}, "loss 0.5\n");
  job.hear(0, protocol::Halted{1, SIGSTOP});
  job.hear(0, protocol::Halted{1, 0});
  job.forward(SIGUSR1);
  job.exit_well({0, 1, 2, 3});
  job.done_all();
  job.compare("ends_well");
}

TEST(Scenarios, FailByARank) {
  JobTranscript job(plain());
  job.start_all();
  job.pass(1s);
  job.exit(2, 7);
  job.be_stopped({3});
  job.exit(0, 3);
  job.be_stopped({1});
  job.done_all();
  job.compare("a_rank_fails");
}

TEST(Scenarios, FailByAnAbortAndBeKilledAfterTheGracePeriod) {
  JobTranscript job(plain());
  job.start_all();
  job.join({0, 1, 2, 3});
  job.hear(0, protocol::Abort{1, 3, "cannot read", 0});
  job.exit(1, 3);
  job.pass_to_deadline();
  job.compare("a_rank_aborts");
}

TEST(Scenarios, FailBeforeTheyStart) {
  JobTranscript job(plain());
  job.hear(0, protocol::Hello{base::version(), "h", 1, 0});
  job.lose(1, "connection refused");
  job.hear(0, protocol::Done{});
  job.compare("a_node_does_not_connect");
}

TEST(Scenarios, AreRefusedByAllNodes) {
  JobTranscript job(with_restarts());
  job.greet_all();
  job.hear_from_all(protocol::Failed{protocol::StartFailure::refused, "/none: no such folder"});
  job.hear_from_all(protocol::Ended{});
  job.compare("all_nodes_refuse");
}

TEST(Scenarios, LoseANode) {
  JobTranscript job(with_restarts());
  job.start_all();
  job.cut(1, "no sign of life for 5 s");
  job.find_again(1);
  job.cut(1, "no sign of life for 5 s");
  job.lose(1, "no sign of life for 10 s", 700ms);
  job.pass(200ms);
  job.be_stopped({0, 1});
  job.hear(0, protocol::Ended{});
  job.compare("a_node_is_lost");
}

TEST(Scenarios, StageFiles) {
  const test::ScratchFolder folder;
  folder.write("data", "0123456789");
  std::filesystem::permissions(folder.path() / "data", std::filesystem::perms(0644));
  JobOptions options;
  options.workdir = "/work";
  const StageList stage = read_stage_list({(folder.path() / "data").string() + ":data"});
  JobTranscript job(with(options, {.stage = stage}));
  job.greet_all();
  job.hear_from_all(protocol::StagePresent{{""}});
  job.hear(0, protocol::StageTaken{10});
  job.hear(0, protocol::Staged{});
  job.hear(1, protocol::Failed{protocol::StartFailure::could_not_start, "data: no space left on device"});
  job.hear(1, protocol::Done{});
  job.hear(0, protocol::Done{});
  job.compare("files_are_staged");
}

TEST(Scenarios, ContinueWithoutARankThatIsStartedAgain) {
  JobTranscript job(with({.min_ranks = 1, .rank_restarts = 2}));
  job.start_all();
  job.join({0, 1, 2, 3});
  job.stay_on({0, 1, 2, 3});
  job.exit(2, 7);
  job.start_ranks({2});
  job.join({2});
  job.stay_on({2});
  job.pass(10s);
  job.exit(0, 0, SIGKILL);
  job.start_ranks({0});
  job.exit(0, 9);
  job.pass(1min);
  job.exit_well({1, 2, 3});
  job.done_all();
  job.compare("elastic_ranks_come_back");
}

TEST(Scenarios, EndWithTooFewElasticRanks) {
  JobTranscript job(with({.min_ranks = 3}));
  job.start_all();
  job.join({0, 1, 2, 3});
  job.stay_on({0, 1, 2, 3});
  job.hear(0, protocol::LostPeer{0, 1});
  job.exit(3, 0, SIGSEGV);
  job.lose(0, "gone", 1s);
  job.be_stopped({2});
  job.hear(1, protocol::Done{});
  job.compare("too_few_elastic_ranks");
}

TEST(Scenarios, ReplaceALostNodeByASpare) {
  JobTranscript job(with({.min_ranks = 2}), {"s1"});
  job.start_all();
  job.join({0, 1, 2, 3});
  job.stay_on({0, 1, 2, 3});
  job.lose(1, "gone", 700ms);
  job.pass_to_deadline();
  job.hear(1, protocol::Hello{base::version(), "s1", 1, 0});
  job.hear(1, protocol::Ready{true, ""});
  job.start_ranks({2, 3});
  job.join({2, 3});
  job.stay_on({2, 3});
  job.suspend();
  job.hear_from_all(protocol::Suspend{true});
  job.continue_();
  job.lose(1, "gone, too");
  job.exit_well({0, 1});
  job.hear(0, protocol::Done{});
  job.compare("a_spare_takes_a_place");
}

TEST(Scenarios, DoWithoutOptionalRanks) {
  JobTranscript job(with_roles({.optional = true}));
  job.start_all();
  job.exit(2, 9);
  job.lose(1, "gone");
  job.exit_well({0, 1});
  job.hear(0, protocol::Done{});
  job.compare("optional_roles");
}

TEST(Scenarios, EndRanksInTheBackground) {
  JobTranscript job(with_roles({.background = true}));
  job.start_all();
  job.exit_well({0, 1});
  job.be_stopped({2, 3});
  job.done_all();
  job.compare("background_roles");
}

TEST(Scenarios, StartRanksOfARoleAgain) {
  JobTranscript job(with_roles({.restarts = 1}));
  job.start_all();
  job.exit(2, 9);
  job.start_ranks({2});
  job.pass(1min);
  job.exit(2, 9);
  job.be_stopped({0, 1, 3});
  job.done_all();
  job.compare("restarted_roles");
}

TEST(Scenarios, ChangeTheirNodes) {
  JobTranscript job(with_restarts());
  job.start_all();
  job.resize();
  job.interrupt(SIGINT);
  job.be_stopped({0, 1, 2, 3});
  job.hear_from_all(protocol::Ended{});
  job.compare("a_resize_is_interrupted");
}

TEST(Scenarios, AreInterruptedTwice) {
  JobTranscript job(plain());
  job.start_all();
  job.interrupt(SIGINT);
  job.pass(1s);
  job.interrupt(SIGINT);
  job.be_stopped({0, 1, 2, 3}, SIGKILL);
  job.done_all();
  job.compare("two_interrupts");
}

TEST(Scenarios, AreSuspendedAndLoseANodeMeanwhile) {
  JobTranscript job(with({.timeout = 1h}));
  job.greet_all();
  job.suspend();
  job.start_ranks({0, 1, 2, 3});
  job.suspend();
  job.hear(0, protocol::Suspend{true});
  job.sleep(2h);
  job.continue_();
  job.pass(30min);
  job.suspend();
  job.lose(1, "gone", 1s);
  job.continue_();
  job.be_stopped({0, 1});
  job.hear(0, protocol::Done{});
  job.compare("suspended");
}

TEST(Scenarios, Hang) {
  JobTranscript job(with({.hang_timeout = 1min}));
  job.start_all();
  job.pass(10s);
  job.print({0, 1, 3});
  job.pass(59s);
  job.pass(1s);
  std::uint32_t query = 0;
  for (const char* what : {"State: S\n", "#0 read\n"})
    for (const std::uint32_t rank : {2U, 0U, 1U, 3U}) {
      protocol::Answer answer;
      answer.id = query++;
      answer.out = what;
      job.hear(rank / 2, answer);
    }
  job.be_stopped({0, 1, 2, 3});
  job.done_all();
  job.compare("hangs");
}

TEST(Scenarios, RunOutOfTimeThatEarlierAttemptsHaveUsed) {
  JobTranscript job(with({.timeout = 10min, .restarts = {.most = 1}}, {.timeout_used = 9min}));
  job.start_all();
  job.pass_to_deadline();
  job.be_stopped({0, 1, 2, 3});
  job.hear(0, protocol::Ended{});
  job.pass_to_deadline();
  job.compare("out_of_time");
}

TEST(Scenarios, HaveWhatRanksLeftRunningEnded) {
  JobTranscript job(plain());
  job.start_all();
  job.exit_well({0, 1, 2, 3});
  job.hear(0, protocol::LeftRunning{false, 1, {{"redis-server", 1}}});
  job.hear(1, protocol::Done{});
  job.hear(0, protocol::LeftRunning{true, 1, {{"redis-server", 1}}});
  job.hear(0, protocol::Done{});
  job.compare("left_running");
}

}  // namespace
}  // namespace adarun::launcher
