// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/links/measurements.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/random_digits.h"
#include "launcher/agent/links/tcp.h"

namespace adarun::launcher::agent {
namespace {

using protocol::Answer;
using protocol::Outcome;
using protocol::Query;
using protocol::Question;

Query question(Question about, std::vector<std::string> argv, const std::string& secret = "") {
  Query query;
  query.id = 7;
  query.question = about;
  query.argv = std::move(argv);
  query.secret = secret;
  return query;
}

// Those of a node, with what its agent does in its loop.
class NodeMeasurements : public testing::Test {
 protected:
  NodeMeasurements() = default;
  NodeMeasurements(const NodeMeasurements&) = delete;
  NodeMeasurements& operator=(const NodeMeasurements&) = delete;
  ~NodeMeasurements() override {
    if (server_ > 0) ::kill(-server_, SIGKILL);
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }

  // The answer to a question, which comes within a minute.
  Answer ask(const Query& query) {
    const Clock::time_point end = Clock::now() + std::chrono::minutes(1);
    measurements_.take(query, Clock::now());
    for (;;) {
      std::vector<Answer> answers = measurements_.collect();
      if (!answers.empty()) return answers.front();
      if (Clock::now() > end) break;
      Poll poll;
      measurements_.watch(poll);
      poll.until(Clock::now() + std::chrono::milliseconds(10));
      poll.wait();
      reap();
      measurements_.tick(Clock::now());
    }
    ADD_FAILURE() << "no answer";
    return {};
  }

  // The port at which this node listens.
  std::string listen() {
    const Answer answer = ask(question(Question::listen, {"127.0.0.1"}, secret_));
    EXPECT_EQ(answer.reason, "");
    server_ = child();
    return answer.numbers.size() == 1 ? std::to_string(answer.numbers[0]) : "0";
  }

  const std::string secret_ = base::random_digits();
  Measurements measurements_;

 private:
  void reap() {
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) EXPECT_TRUE(measurements_.reaped(pid));
  }

  // The only child of this process, or -1.
  static pid_t child() {
    std::FILE* file =
        std::fopen(("/proc/self/task/" + std::to_string(::getpid()) + "/children").c_str(), "r");
    int pid = -1;
    if (file == nullptr || std::fscanf(file, "%d", &pid) != 1) pid = -1;
    if (file != nullptr) std::fclose(file);
    return pid;
  }

  pid_t server_ = -1;
};

TEST_F(NodeMeasurements, SayWhatALinkCosts) {
  const Answer answer = ask(question(Question::link, {"127.0.0.1", listen()}, secret_));
  EXPECT_EQ(answer.reason, "");
  EXPECT_EQ(answer.id, 7U);
  ASSERT_EQ(answer.numbers.size(), 3U);
  for (const std::uint64_t number : answer.numbers) EXPECT_GT(number, 0U);
  EXPECT_TRUE(measurements_.running()) << "it still listens";
}

TEST_F(NodeMeasurements, SayHowFastANodeIs) {
  const Answer answer = ask(question(Question::speed, {"2"}));
  EXPECT_EQ(answer.reason, "");
  ASSERT_EQ(answer.numbers.size(), 6U);
  for (int i = 0; i < 4; ++i) EXPECT_GT(answer.numbers[i], 0U) << i;
  EXPECT_FALSE(measurements_.running());
}

TEST_F(NodeMeasurements, AreNotForThoseWhoDoNotKnowTheSecret) {
  const std::string port = listen();
  const Answer answer = ask(question(Question::link, {"127.0.0.1", port}, base::random_digits()));
  EXPECT_EQ(answer.outcome, Outcome::failed);
  EXPECT_NE(answer.reason, "");
  EXPECT_EQ(ask(question(Question::link, {"127.0.0.1", port}, secret_)).reason, "") << "others are served";
}

TEST_F(NodeMeasurements, AreNotKeptFromOthersByThoseWhoSayNothing) {
  const std::string port = listen();
  std::vector<base::FileDescriptor> silent;
  for (int i = 0; i < 4; ++i)
    silent.push_back(connect_to("127.0.0.1", static_cast<std::uint16_t>(std::stoi(port))));
  EXPECT_EQ(ask(question(Question::link, {"127.0.0.1", port}, secret_)).reason, "");
}

TEST_F(NodeMeasurements, ListenOnce) {
  listen();
  const Answer answer = ask(question(Question::listen, {"127.0.0.1"}, secret_));
  EXPECT_EQ(answer.reason, "a port for links is open already");
}

TEST_F(NodeMeasurements, FailWithAReason) {
  const auto reason = [this](const Query& query) { return ask(query).reason; };
  EXPECT_EQ(reason(question(Question::listen, {"192.0.2.1"}, secret_)),
            "192.0.2.1: not an address of this node");
  EXPECT_EQ(reason(question(Question::listen, {"node1"}, secret_)), "node1: not an IP address");
  EXPECT_EQ(reason(question(Question::listen, {}, secret_)), "no address given");
  EXPECT_EQ(reason(question(Question::listen, {"127.0.0.1"}, "short")), "no secret given");
  EXPECT_EQ(reason(question(Question::link, {"127.0.0.1", "x"}, secret_)),
            "\"x\": not a number from 1 to 65535");
  EXPECT_EQ(reason(question(Question::speed, {"0"})), "\"0\": not a number from 1 to 4096");
  EXPECT_EQ(reason(question(Question::speed, {})), "\"\": not a number from 1 to 4096");
  EXPECT_EQ(reason(question(Question::link, {"127.0.0.1", "1"}, secret_)),
            "connecting to 127.0.0.1 port 1: Connection refused");
}

TEST_F(NodeMeasurements, EndAtTheirDeadline) {
  Query query = question(Question::speed, {"1"});
  query.deadline_ms = 0;
  const Answer answer = ask(query);
  EXPECT_EQ(answer.outcome, Outcome::too_late);
  EXPECT_NE(answer.reason.find("not measured within"), std::string::npos) << answer.reason;
}

}  // namespace
}  // namespace adarun::launcher::agent
