// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/connection/reconnection.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/unix_socket.h"
#include "launcher/agent/connection/channel.h"
#include "launcher/agent/connection/kept_output.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/spool.h"
#include "tests/as_another_user.h"
#include "tests/scratch_folder.h"

namespace adarun::launcher::agent {
namespace {

/// A folder of its own, with the socket's path in it.
class Place {
 public:
  Place() { EXPECT_NE(::mkdtemp(folder_.data()), nullptr); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    ::unlink(socket().c_str());
    ::rmdir(folder_.c_str());
  }
  const std::string& folder() const { return folder_; }
  std::string socket() const { return folder_ + "/socket"; }

 private:
  std::string folder_ = testing::TempDir() + "adarun_reconnect_XXXXXX";
};

// The connection that arrives within ten seconds.
std::optional<Connection> brought_to(ReconnectSocket& reconnect_socket) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    if (auto connection = reconnect_socket.accept()) return connection;
    std::array<pollfd, 2> polled{
        {{reconnect_socket.fd(), POLLIN, 0}, {reconnect_socket.bringer_fd(), POLLIN, 0}}};
    ::poll(polled.data(), polled.size(), 1'000);
  }
  return std::nullopt;
}

TEST(ReconnectSocket, IsMetThoughSomebodyBeforeSaysNothing) {
  const Place place;
  ReconnectSocket reconnect_socket(place.socket());
  const base::FileDescriptor silent = base::connect_to(place.socket());
  ASSERT_TRUE(silent);
  EXPECT_FALSE(reconnect_socket.accept());

  std::array<int, 2> far_end{};
  ASSERT_EQ(::pipe(far_end.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::dup2(far_end[1], STDOUT_FILENO);
    ::close(far_end[0]);
    ::close(far_end[1]);
    ::_exit(bring_connection(place.socket()));
  }
  ::close(far_end[1]);
  {
    const std::optional<Connection> connection = brought_to(reconnect_socket);
    EXPECT_TRUE(connection);
    if (connection) {
      EXPECT_EQ(::write(connection->out.get(), "x", 1), 1);
      char byte = 0;
      EXPECT_EQ(::read(far_end[0], &byte, 1), 1);
      EXPECT_EQ(byte, 'x');
    }
  }  // closes the connection, which lets the child end
  ::close(far_end[0]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// What a bringer of a connection to this path says where no agent is met.
protocol::Message said_at(const std::string& path) {
  std::array<int, 2> far_end{};
  EXPECT_EQ(::pipe(far_end.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(far_end[1], STDOUT_FILENO);
    ::_exit(bring_connection(path));
  }
  ::close(far_end[1]);
  std::array<char, 1000> words{};
  const ssize_t size = ::read(far_end[0], words.data(), words.size());
  ::close(far_end[0]);
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_NE(status, 0);
  protocol::FrameReader reader(protocol::Opening::magic);
  reader.feed({words.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
  return reader.next().value();
}

TEST(ReconnectSocket, SaysThatAnAgentIsGoneOnlyWhereItsSocketIsThere) {
  const Place place;
  EXPECT_TRUE(std::holds_alternative<protocol::Failed>(said_at(place.socket()))) << "it may be elsewhere";
  { const ReconnectSocket ended(place.socket()); }
  ASSERT_EQ(::access(place.socket().c_str(), F_OK), 0);
  EXPECT_TRUE(std::holds_alternative<protocol::Done>(said_at(place.socket())));
}

TEST(ReconnectSocket, TakesNothingFromAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const Place place;
  ReconnectSocket reconnect_socket(place.socket());
  ASSERT_EQ(::chmod(place.folder().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(place.socket().c_str(), 0666), 0);
  ASSERT_EQ(::seteuid(test::another_uid), 0);
  const base::FileDescriptor theirs = base::connect_to(place.socket());
  const int error = errno;
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_FALSE(theirs) << "nor do they get one of ours";
  EXPECT_EQ(error, EPERM);
  EXPECT_FALSE(reconnect_socket.accept());
  EXPECT_EQ(reconnect_socket.bringer_fd(), -1);
}

TEST(OldSpools, AreRemovedUnlessTheirAgentRuns) {
  const test::ScratchFolder scratch;
  ::setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1);
  const std::string ended = spool_path("ended", 0);
  const std::string runs = spool_path("runs", 0);
  const auto kept_at = [](const std::string& path) {
    protocol::Spool spool;
    spool.spill(path, 0, 1'000);
    spool.append("frame");
    const auto days = std::chrono::hours{24 * 8};
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - days);
    return spool;
  };
  kept_at(ended);
  const protocol::Spool running = kept_at(runs);
  remove_old_spools();
  EXPECT_FALSE(std::filesystem::exists(ended));
  EXPECT_TRUE(std::filesystem::exists(runs)) << "its file may be old, or the clock have been changed";
}

}  // namespace
}  // namespace adarun::launcher::agent
