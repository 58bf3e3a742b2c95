// SPDX-License-Identifier: Apache-2.0
#include "adasum/sockets/acceptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "adasum/sockets/tcp.h"
#include "adasum/types/error.h"

namespace adasum::sockets {
namespace {

using namespace std::chrono_literals;

constexpr int other_ranks = 300;  // more than an acceptor talks to at a time

/// What ranks 1 to `other_ranks` say to rank 0.
Introduction introduction_of(int rank) {
  return {.world_size = other_ranks + 1, .from = static_cast<std::uint32_t>(rank), .to = 0};
}

/// Rank 0 of `other_ranks` + 1, and the other side of its connections.
class AcceptorTest : public testing::Test {
 protected:
  Descriptor connect() const { return connect_to({"127.0.0.1", port_}, Deadline(10s)); }

  Handshake connector(int rank) const {
    return Handshake::of_connector(connect(), introduction_of(rank), secret_);
  }

  /// Has rank 0 accept so many ranks in another thread.
  std::future<std::vector<int>> accepted(int ranks, std::chrono::milliseconds timeout) {
    return std::async(std::launch::async, [this, ranks, timeout] {
      const Deadline deadline(timeout);
      Acceptor acceptor(listener_, introduction_of(0), secret_, {});
      std::vector<int> come;
      for (int i = 0; i < ranks; ++i) come.push_back(acceptor.accept(connections_, 1, deadline));
      return come;
    });
  }

  /// The other sides' part, until all take themselves for connected. Returns how many are refused.
  static int refused(std::vector<Handshake>& connectors) {
    const Deadline deadline(10s);
    std::vector<Handshake*> left;
    for (Handshake& connector : connectors) left.push_back(&connector);
    int count = 0;
    while (!left.empty() && !deadline.passed()) {
      std::vector<pollfd> sources;
      for (const Handshake* one : left) sources.push_back({one->connection().get(), POLLIN, 0});
      ::poll(sources.data(), sources.size(), deadline.left_ms());
      std::erase_if(left, [&](Handshake* one) {
        try {
          return one->progress();
        } catch (const Error&) {
          ++count;
          return true;
        }
      });
    }
    return count + static_cast<int>(left.size());
  }

  Descriptor listener_ = listen_on({"127.0.0.1", 0});
  std::uint16_t port_ = port_of(listener_);
  Secret secret_ = random_secret();
  std::vector<Link> connections_ = std::vector<Link>(other_ranks + 1);
};

TEST_F(AcceptorTest, TakesMoreRanksThanItTalksToAtATimeThoughAllHaveCome) {
  std::vector<Handshake> connectors;
  for (int rank = 1; rank <= other_ranks; ++rank) connectors.push_back(connector(rank));
  auto come = accepted(other_ranks, 10s);
  EXPECT_EQ(refused(connectors), 0);
  EXPECT_EQ(come.get().size(), static_cast<std::size_t>(other_ranks));
  EXPECT_TRUE(std::none_of(connections_.begin() + 1, connections_.end(), std::logical_not()));
}

TEST_F(AcceptorTest, KeepsARankThatHasIntroducedItselfThoughStrangersFollow) {
  std::vector<Handshake> connectors;
  connectors.push_back(connector(1));
  std::vector<Descriptor> strangers;
  for (int i = 0; i < other_ranks; ++i) strangers.push_back(connect());
  auto come = accepted(1, 10s);
  EXPECT_EQ(refused(connectors), 0);
  EXPECT_EQ(come.get(), std::vector<int>{1});
}

TEST_F(AcceptorTest, TakesARankBehindStrangersThatIntroduceThemselves) {
  std::vector<Handshake> strangers;
  for (int rank = 1; rank <= other_ranks; ++rank)
    strangers.push_back(Handshake::of_connector(connect(), introduction_of(rank), random_secret()));
  std::vector<Handshake> connectors;
  connectors.push_back(connector(1));
  auto come = accepted(1, 4s);
  EXPECT_EQ(refused(connectors), 0);
  EXPECT_EQ(come.get(), std::vector<int>{1});
}

/// This process may have so many descriptors more, as long as this lasts.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDERR_FILENO);
    ::close(next);
    const rlimit few{static_cast<rlim_t>(next + more), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(AcceptorTest, TakesARankBehindStrangersThatTakeAllDescriptors) {
  std::vector<Descriptor> strangers;
  for (int i = 0; i < 30; ++i) strangers.push_back(connect());
  std::vector<Handshake> connectors;
  connectors.push_back(connector(1));
  // UBSan needs a pipe to check a class's first object.
  EXPECT_THROW(listen_on({"127.0.0.1", port_}), Error);
  EXPECT_EQ(accepted(0, 1s).get(), std::vector<int>{});
  std::future<std::vector<int>> come;
  {
    const FewDescriptors few(10);
    come = accepted(1, 10s);
    EXPECT_EQ(refused(connectors), 0);
  }
  EXPECT_EQ(come.get(), std::vector<int>{1});
}

}  // namespace
}  // namespace adasum::sockets
