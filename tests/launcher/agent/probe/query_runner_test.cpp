// SPDX-License-Identifier: Apache-2.0
// Queries to the built agent, without a job.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "tests/launcher/agent/agent_process.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

Query run(std::vector<std::string> argv) {
  Query query;
  query.argv = std::move(argv);
  query.deadline_ms = 60'000;
  return query;
}

Query shell(const std::string& script) {
  return run({"/bin/sh", "-c", script});
}

Query about(Question question, const std::string& path) {
  Query query;
  query.question = question;
  query.path = path;
  return query;
}

class AgentQuery : public AgentTest {
 protected:
  Answer ask(const Query& query) {
    agent_.send(query);
    Answer none;
    none.reason = "the agent gave no answer";
    none.outcome = Outcome::failed;
    return agent_.take<Answer>().value_or(none);
  }
};

TEST_F(AgentQuery, RunsAProgramWithoutAShell) {
  Query query = run({"printf", "%s|", "a b", "$HOME;", "*"});
  query.id = 7;
  const Answer answer = ask(query);
  EXPECT_EQ(answer.id, 7U);
  EXPECT_EQ(answer.outcome, Outcome::answered) << answer.reason;
  EXPECT_EQ(answer.out, "a b|$HOME;|*|");
}

TEST_F(AgentQuery, GivesBothStreamsAndHowTheProgramEnded) {
  const Answer code = ask(shell("test -t 1 || echo out; echo err >&2; exit 3"));
  EXPECT_EQ(code.outcome, Outcome::answered);
  EXPECT_EQ(code.out, "out\n");
  EXPECT_EQ(code.err, "err\n");
  EXPECT_EQ(code.code, 3);
  EXPECT_EQ(ask(shell("kill -9 $$")).signal, 9);
}

TEST_F(AgentQuery, SaysWhyAProgramDidNotRun) {
  const Answer missing = ask(run({"no-such-program", "-x"}));
  EXPECT_EQ(missing.outcome, Outcome::not_found);
  EXPECT_EQ(missing.reason.find("\"no-such-program\" (looked up in PATH)"), 0U) << missing.reason;
  EXPECT_EQ(ask(run({"/etc/passwd"})).outcome, Outcome::failed);
  EXPECT_EQ(ask(run({})).reason, "no program given");
}

TEST_F(AgentQuery, KillsWhatIsTooLateAndAnswersTheNext) {
  Query late = shell("sleep 1000 & echo pid=$! > " + (folder_.path() / "pid").string() + "; wait");
  late.deadline_ms = 500;
  const Answer answer = ask(late);
  EXPECT_EQ(answer.outcome, Outcome::too_late);
  EXPECT_NE(answer.reason.find("has not ended within 500 ms"), std::string::npos) << answer.reason;
  const pid_t sleep = pid_in(ask(about(Question::read, folder_.path() / "pid")).out, "pid");
  ASSERT_NE(sleep, 0);
  EXPECT_TRUE(await_end(sleep));
  EXPECT_EQ(ask(run({"echo", "next"})).out, "next\n");
}

TEST_F(AgentQuery, KeepsWhatWasWrittenByTheDeadlineAndShowsNoScript) {
  Query late = shell("echo out\necho err >&2\nsleep 1000");
  late.deadline_ms = 500;
  const Answer answer = ask(late);
  EXPECT_EQ(answer.outcome, Outcome::too_late);
  EXPECT_EQ(answer.out, "out\n");
  EXPECT_EQ(answer.err, "err\n");
  EXPECT_EQ(answer.reason, "/bin/sh -c ...: has not ended within 500 ms");
  late = shell(": " + std::string(200, 'x') + "; sleep 1000");
  late.deadline_ms = 100;
  EXPECT_EQ(ask(late).reason, "/bin/sh -c ...: has not ended within 100 ms");
}

TEST_F(AgentQuery, StartsNothingWhoseTimeHasRunOut) {
  Query late = run({"sleep", "1000"});
  late.deadline_ms = 100;
  Query behind = run({"touch", folder_.path() / "ran"});
  behind.id = 1;
  behind.deadline_ms = 100;
  agent_.send(late);
  agent_.send(behind);
  const auto* answer = agent_.await<Answer>([](const Answer& each) { return each.id == 1; });
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->outcome, Outcome::too_late);
  EXPECT_NE(answer->reason.find("its turn has not come within 100 ms"), std::string::npos) << answer->reason;
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "ran"));
}

TEST_F(AgentQuery, KillsWhatWritesTooMuchAndKeepsTheFirstOfIt) {
  Query query = run({"yes"});
  query.limit_bytes = 1000;
  const Answer answer = ask(query);
  EXPECT_EQ(answer.outcome, Outcome::too_much);
  EXPECT_EQ(answer.reason, "yes: wrote more than 1000 bytes");
  EXPECT_EQ(answer.out.size(), 1000U);
  EXPECT_EQ(answer.out.substr(0, 4), "y\ny\n");
}

TEST_F(AgentQuery, EndsWhatAProgramLeavesBehind) {
  const Answer answer = ask(shell("sleep 1000 & echo pid=$!"));
  EXPECT_EQ(answer.outcome, Outcome::answered) << answer.reason;
  const pid_t sleep = pid_in(answer.out, "pid");
  ASSERT_NE(sleep, 0);
  EXPECT_TRUE(await_end(sleep));
}

TEST_F(AgentQuery, ReadsRegularFilesUpToALimit) {
  const std::string file = folder_.path() / "file";
  std::ofstream(file) << std::string(5, '\0') << "x";
  EXPECT_EQ(ask(about(Question::read, file)).out, std::string(5, '\0') + "x");
  Query small = about(Question::read, file);
  small.limit_bytes = 6;
  EXPECT_EQ(ask(small).outcome, Outcome::answered);
  small.limit_bytes = 5;
  EXPECT_EQ(ask(small).outcome, Outcome::too_much);
  EXPECT_EQ(ask(small).reason, file + ": more than 5 bytes");
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& other : {pipe, folder_.path().string(), std::string("/dev/zero")})
    EXPECT_EQ(ask(about(Question::read, other)).reason, other + ": is no regular file");
  EXPECT_EQ(ask(about(Question::read, pipe)).outcome, Outcome::failed);
  const Answer none = ask(about(Question::read, file + "2"));
  EXPECT_EQ(none.outcome, Outcome::not_found);
  EXPECT_NE(none.reason.find(file + "2"), std::string::npos) << none.reason;
}

TEST_F(AgentQuery, ListsAFolder) {
  for (const char* name : {"b", "a", "d"}) std::ofstream(folder_.path() / name) << "";
  std::filesystem::create_directory(folder_.path() / "c");
  Query list = about(Question::list, folder_.path());
  EXPECT_EQ(ask(list).outcome, Outcome::answered);
  EXPECT_EQ(ask(list).names, (std::vector<std::string>{"a", "b", "c", "d"}));
  list.limit_bytes = 2;
  EXPECT_EQ(ask(list).outcome, Outcome::too_much);
  list.path += "/none";
  const Answer none = ask(list);
  EXPECT_EQ(none.outcome, Outcome::not_found);
  EXPECT_NE(none.reason.find("none"), std::string::npos) << none.reason;
}

TEST_F(AgentQuery, KnowsNameAndAddressesOfTheNode) {
  std::array<char, 257> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  const Answer answer = ask(about(Question::addresses, ""));
  EXPECT_EQ(answer.out, name.data());
  EXPECT_EQ(std::count(answer.names.begin(), answer.names.end(), "127.0.0.1"), 1);
}

TEST_F(AgentQuery, RefusesAQuestionThatItDoesNotKnow) {
  const Answer answer = ask(about(Question{200}, "/etc"));
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_EQ(answer.reason, "a question that this adarun-agent does not know");
}

TEST_F(AgentQuery, LeavesInOrderWhenItIsStopped) {
  ask(run({"true"}));
  agent_.send(protocol::Stop{true});
  EXPECT_NE(agent_.await<protocol::Done>(), nullptr);
  EXPECT_EQ(agent_.wait(), 0);
}

TEST_F(AgentQuery, EndsARunningProgramWithTheConversation) {
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  agent_.send(shell("echo pid=$$ > " + pipe + "; exec sleep 1000"));
  std::string line;
  std::getline(std::ifstream(pipe), line);
  ASSERT_NE(pid_in(line, "pid"), 0);
  agent_.close_input();
  EXPECT_EQ(agent_.wait(), 1);
  EXPECT_TRUE(is_gone(pid_in(line, "pid")));
}

TEST_F(AgentQuery, AnswersWhileAJobRuns) {
  agent_.send(folder_.shell("echo up; exec sleep 1000"));
  ASSERT_TRUE(agent_.await_output(0, "up"));
  EXPECT_EQ(ask(run({"echo", "hello"})).out, "hello\n");
  agent_.send(protocol::Stop{true});
  EXPECT_NE(agent_.await<protocol::Done>(), nullptr);
}

}  // namespace
}  // namespace adarun::launcher::agent
