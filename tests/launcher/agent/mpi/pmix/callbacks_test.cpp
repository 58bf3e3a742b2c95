// SPDX-License-Identifier: Apache-2.0
#include "launcher/agent/mpi/pmix/callbacks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <variant>

#include "launcher/agent/mpi/mpi_server.h"
#include "launcher/agent/mpi/pmix/published_values.h"
#include "launcher/protocol/frame.h"
#include "launcher/protocol/messages.h"

namespace adarun::launcher::agent::pmix {
namespace {

class PmixCallbacks : public testing::Test {
 protected:
  ~PmixCallbacks() override { callbacks(nullptr); }

  pmix_status_t fence(std::size_t size) const {
    const std::array<pmix_proc_t, 2> ranks{pmix_proc_t{"", 0}, pmix_proc_t{"", 1}};
    auto* const data = static_cast<char*>(std::calloc(size, 1));  // NOLINT: it is freed as libpmix's
    return module_.fence_nb(ranks.data(), ranks.size(), nullptr, 0, data, size, nullptr, nullptr);
  }

  static bool is_taken(const protocol::Message& message) {
    protocol::FrameReader launcher(protocol::Opening::magic);
    launcher.feed(std::string(protocol::magic) + protocol::encode(message));
    return launcher.next() == message;
  }

  Mailbox mailbox_;
  pmix_server_module_t module_ = callbacks(&mailbox_);
};

TEST_F(PmixCallbacks, RefuseAFenceOfMoreThanALauncherTakesFromANode) {
  constexpr std::size_t most = most_exchanged_bytes - 2 * sizeof(std::uint32_t);
  EXPECT_EQ(fence(most + 1), PMIX_ERR_OUT_OF_RESOURCE);
  EXPECT_TRUE(mailbox_.take().empty());
  EXPECT_EQ(fence(most), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<protocol::Fence>(events[0].message).data.size(), most);
  EXPECT_TRUE(is_taken(events[0].message));
}

TEST_F(PmixCallbacks, AnswerWithAnErrorWhereARankHasPublishedMoreThanThat) {
  ModexQuestion question{3, 7};
  std::string data(most_exchanged_bytes, 'x');
  answer_question(PMIX_SUCCESS, data.data(), data.size(), &question);
  data += 'x';
  answer_question(PMIX_SUCCESS, data.data(), data.size(), &question);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(std::get<protocol::ModexReply>(events[0].message).status, PMIX_SUCCESS);
  EXPECT_TRUE(is_taken(events[0].message));
  EXPECT_EQ(events[1].message, protocol::Message(protocol::ModexReply{3, 7, PMIX_ERR_OUT_OF_RESOURCE, ""}));
}

TEST_F(PmixCallbacks, SayWhichProcessesARankSpawns) {
  const pmix_proc_t rank{"", 3};
  std::array<char, 9> program{"./worker"};
  std::array<pmix_app_t, 2> apps{};
  for (pmix_app_t& app : apps) {
    app.cmd = program.data();
    app.maxprocs = 2;
  }
  EXPECT_EQ(module_.spawn(&rank, nullptr, 0, apps.data(), 1, nullptr, nullptr), PMIX_SUCCESS);
  EXPECT_EQ(module_.spawn(&rank, nullptr, 0, apps.data(), 2, nullptr, nullptr), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 2U);
  const auto call = [&events](int i) { return std::get<protocol::Abort>(events[i].message); };
  EXPECT_EQ(call(0).rank, 3U);
  EXPECT_EQ(call(0).call, protocol::EndingCall::spawn);
  EXPECT_EQ(call(0).message, "2 processes of ./worker");
  EXPECT_EQ(call(1).message, "4 processes of ./worker and others");
}

TEST_F(PmixCallbacks, PublishWhatIsNoDirective) {
  const pmix_proc_t rank{"", 3};
  std::array<char, 5> text{"port"};
  std::array<pmix_info_t, 3> infos{};
  std::strcpy(infos[0].key, "name");
  infos[0].value.type = PMIX_STRING;
  infos[0].value.data.string = text.data();
  std::strcpy(infos[1].key, PMIX_PERSISTENCE);
  infos[1].value.type = PMIX_PERSIST;
  infos[1].value.data.persist = PMIX_PERSIST_FIRST_READ;
  std::strcpy(infos[2].key, PMIX_USERID);
  EXPECT_EQ(module_.publish(&rank, infos.data(), infos.size(), nullptr, nullptr), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 1U);
  const protocol::NameRequest& request = std::get<protocol::NameRequest>(events[0].message);
  EXPECT_EQ(request.names,
            (std::vector<protocol::PublishedName>{{"name", bytes_of(infos[0].value).value(), 3}}));
  EXPECT_TRUE(request.once);
  EXPECT_EQ(request.action, protocol::NameAction::publish);
}

TEST_F(PmixCallbacks, LetALookupWaitAsItIsAskedTo) {
  const pmix_proc_t rank{"", 3};
  std::array<char, 5> name{"name"};
  std::array<char*, 2> keys{name.data(), nullptr};
  std::array<pmix_info_t, 2> infos{};
  std::strcpy(infos[0].key, PMIX_WAIT);
  infos[0].value.type = PMIX_BOOL;
  infos[0].value.data.flag = true;
  std::strcpy(infos[1].key, PMIX_TIMEOUT);
  infos[1].value.type = PMIX_INT;
  infos[1].value.data.integer = 7;
  for (const std::size_t count : {0U, 1U, 2U})
    EXPECT_EQ(module_.lookup(&rank, keys.data(), infos.data(), count, nullptr, nullptr), PMIX_SUCCESS);
  EXPECT_EQ(module_.unpublish(&rank, nullptr, nullptr, 0, nullptr, nullptr), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(std::get<protocol::NameRequest>(events[0].message).wait_s, 0U);
  EXPECT_EQ(std::get<protocol::NameRequest>(events[1].message).wait_s, 600U);
  EXPECT_EQ(std::get<protocol::NameRequest>(events[2].message).wait_s, 7U);
  EXPECT_EQ(std::get<protocol::NameRequest>(events[2].message).names.front().name, "name");
  EXPECT_EQ(std::get<protocol::NameRequest>(events[3].message).action, protocol::NameAction::withdraw);
}

TEST_F(PmixCallbacks, RefuseWhatALauncherWouldNotTake) {
  const pmix_proc_t rank{"", 3};
  std::string large(protocol::most_requested_bytes, 'x');
  std::array<pmix_info_t, 1> infos{};
  std::strcpy(infos[0].key, "name");
  infos[0].value.type = PMIX_STRING;
  infos[0].value.data.string = large.data();
  EXPECT_EQ(module_.publish(&rank, infos.data(), 1, nullptr, nullptr), PMIX_ERR_OUT_OF_RESOURCE);
  infos[0].value.type = PMIX_DATA_ARRAY;
  EXPECT_EQ(module_.publish(&rank, infos.data(), 1, nullptr, nullptr), PMIX_ERR_NOT_SUPPORTED);
  large.resize(protocol::most_requested_bytes - std::strlen("name") - sizeof(pmix_data_type_t));
  infos[0].value.type = PMIX_STRING;
  infos[0].value.data.string = large.data();
  EXPECT_EQ(module_.publish(&rank, infos.data(), 1, nullptr, nullptr), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(is_taken(events[0].message));
}

TEST_F(PmixCallbacks, HaveRanksConnectAsInAFence) {
  const std::array<pmix_proc_t, 2> ranks{pmix_proc_t{"", 5}, pmix_proc_t{"", 1}};
  EXPECT_EQ(module_.connect(ranks.data(), ranks.size(), nullptr, 0, nullptr, nullptr), PMIX_SUCCESS);
  EXPECT_EQ(module_.disconnect(ranks.data(), ranks.size(), nullptr, 0, nullptr, nullptr), PMIX_SUCCESS);
  const auto events = mailbox_.take();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].message,
            protocol::Message(protocol::Fence{{1, 5}, "", protocol::Service::pmix_connect}));
  EXPECT_EQ(events[1].message,
            protocol::Message(protocol::Fence{{1, 5}, "", protocol::Service::pmix_disconnect}));
}

}  // namespace
}  // namespace adarun::launcher::agent::pmix
